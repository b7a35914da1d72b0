// SPDX-License-Identifier: BSD-3-Clause
#include "base/methods.hpp"

#include <algorithm>
#include <iterator>

namespace nereus {
namespace {

const std::string automatic = "auto";

const std::string unknown = "unknown";

std::string listed(const std::vector<std::string> &words, const char *before_last) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? before_last : ", ") + words[i];
    return text;
}

/// Of one kind, those that go with all methods, when each that does not has a row of its own. With a restart nothing is
/// transferred.
template <class NumberOf> std::string others(const std::vector<std::string> &words, NumberOf number_of) {
    std::vector<std::string> good;
    for (int number = 0; number < std::ssize(words); ++number) {
        const std::string &word = word_of(words, number);
        if (word != automatic && word != words::process_methods[NEREUS_RESTART] &&
            std::ranges::find(one_sided_conflicts, number, number_of) == one_sided_conflicts.end())
            good.push_back(word);
    }
    return listed(good, " or ");
}

std::string sentence(int method, const OneSidedConflict &conflict) {
    const bool of_strategy = conflict.transfer_strategy >= 0;
    const std::string &bad = of_strategy ? word_of(words::transfer_strategies, conflict.transfer_strategy)
                                         : word_of(words::process_methods, conflict.process_method);
    return word_of(words::transfer_methods, method) + " does not go with " + bad + ": " + std::string(conflict.why) +
           "; take " +
           (of_strategy ? others(words::transfer_strategies, &OneSidedConflict::transfer_strategy)
                        : others(words::process_methods, &OneSidedConflict::process_method));
}

}

std::optional<int> number_of(const std::vector<std::string> &words, const std::string &word) {
    const auto found = std::ranges::find(words, word);
    return found == words.end() ? std::nullopt : std::optional(static_cast<int>(found - words.begin()));
}

const std::string &word_of(const std::vector<std::string> &words, int number) {
    return number >= 0 && number < std::ssize(words) ? words[static_cast<std::size_t>(number)] : unknown;
}

std::string allowed_of(const std::vector<std::string> &words) {
    std::vector<std::string> ordered = words;
    std::ranges::stable_partition(ordered, [](const std::string &each) { return each == automatic; });
    return listed(ordered, ", ");
}

std::string words_of_transfer(int method, int strategy) {
    return word_of(words::transfer_methods, method) + ", " + word_of(words::transfer_strategies, strategy);
}

bool is_one_sided(int transfer_method) {
    return transfer_method >= 0 && transfer_method < std::ssize(one_sided_methods) &&
           one_sided_methods[static_cast<std::size_t>(transfer_method)];
}

Done check_transfer(int process_method, int method, int strategy) {
    if (!is_one_sided(method)) return {};
    for (const OneSidedConflict &conflict : one_sided_conflicts)
        if (conflict.process_method == process_method || conflict.transfer_strategy == strategy)
            return failed(NEREUS_ERR_UNSUPPORTED, sentence(method, conflict));
    return {};
}

}
