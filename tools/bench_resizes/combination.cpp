// SPDX-License-Identifier: BSD-3-Clause
#include "combination.hpp"

#include <algorithm>
#include <utility>

namespace resizes {
namespace {

using Words = std::vector<std::pair<std::string, unsigned>>;

const Words methods{
    {"merge", NEREUS_MERGE}, {"baseline-inter", NEREUS_BASELINE_INTER}, {"baseline-intra", NEREUS_BASELINE_INTRA}};

const Words strategies{{"asynchronous", NEREUS_ASYNCHRONOUS}, {"single", NEREUS_SINGLE}, {"multiple", NEREUS_MULTIPLE},
                       {"parallel", NEREUS_PARALLEL},         {"join", NEREUS_JOIN},     {"auto", NEREUS_AUTO}};

std::string listed(const Words &words) {
    std::string all;
    for (const auto &[word, value] : words) all += (all.empty() ? "" : ", ") + word;
    return all;
}

const unsigned *value_of(const Words &words, const std::string &word) {
    const auto found = std::ranges::find(words, word, &Words::value_type::first);
    return found == words.end() ? nullptr : &found->second;
}

std::vector<std::string> parts_of(const std::string &text, char between) {
    std::vector<std::string> parts{""};
    for (const char c : text)
        if (c == between)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

/// The sum of the words in `text`, or false.
bool add_strategies(const std::string &text, unsigned &sum) {
    for (const std::string &word : parts_of(text, '+')) {
        const unsigned *value = value_of(strategies, word);
        if (!value) return false;
        sum |= *value;
    }
    return true;
}

tl::unexpected<std::string> refused(const std::string &text) {
    return tl::unexpected(text + ": allowed is METHOD:STRATEGIES with the methods " + listed(methods) +
                          ", and as strategies none, wake (merge only), or of " + listed(strategies) +
                          " those that are wanted, joined by +");
}

}

tl::expected<Combination, std::string> read_combination(const std::string &text) {
    const std::size_t colon = text.find(':');
    const unsigned *method = value_of(methods, text.substr(0, colon));
    if (!method || colon == text.npos) return refused(text);
    Combination combination{text, static_cast<nereus_process_method>(*method), 0, false};
    const std::string words = text.substr(colon + 1);
    combination.wakes = words == "wake" && *method == NEREUS_MERGE;
    if (combination.wakes) combination.strategies = NEREUS_AUTO;
    if (combination.wakes || words == "none") return combination;
    if (!add_strategies(words, combination.strategies)) return refused(text);
    return combination;
}

std::string method_word(nereus_process_method method) {
    for (const auto &[word, value] : methods)
        if (value == static_cast<unsigned>(method)) return word;
    return "unknown";
}

std::vector<std::string> strategy_words(unsigned sum) {
    std::vector<std::string> words;
    for (const auto &[word, value] : strategies)
        if (sum & value) words.push_back(word);
    return words;
}

}
