// SPDX-License-Identifier: BSD-3-Clause
#include "base/strategies.hpp"

#include "base/methods.hpp"

#include <algorithm>

namespace nereus::strategies {
namespace {

Result<unsigned> with_word(unsigned bits, const std::string &word) {
    const auto place = number_of(words::process_strategies, word);
    if (!place)
        return failed(NEREUS_ERR_ARGUMENT, "`" + word + "` is no process strategy: allowed is " + allowed_strategies());
    const unsigned bit = 1U << *place;
    if ((bits & bit) != 0) return failed(NEREUS_ERR_ARGUMENT, "process strategy " + word + " is there twice");
    return bits | bit;
}

Result<unsigned> bits_of_words(const std::string &text) {
    unsigned bits = 0;
    for (std::size_t first = 0; first <= text.size();) {
        const std::size_t end = std::min(text.find('+', first), text.size());
        const auto more = with_word(bits, text.substr(first, end - first));
        if (!more) return more;
        bits = *more;
        first = end + 1;
    }
    return bits;
}

}

std::string allowed_strategies() {
    std::vector<std::string> combined = words::process_strategies;
    std::erase(combined, words_of(automatic));
    return words_of(automatic) + ", none, or some of " + allowed_of(combined) + " with + between them";
}

Done check(unsigned bits) {
    if (bits >= 2 * automatic)
        return failed(NEREUS_ERR_ARGUMENT, std::to_string(bits) + " holds a process strategy that does not exist");
    for (const StrategyConflict &conflict : strategy_conflicts)
        if ((bits & conflict.one) != 0 && (bits & conflict.others) != 0)
            return failed(NEREUS_ERR_ARGUMENT, "process strategies " + words_of(bits) +
                                                   " exclude one another: " + std::string(conflict.why));
    return {};
}

Result<unsigned> read_strategies(const std::string &text) {
    if (text == "none") return 0U;
    const auto bits = bits_of_words(text);
    if (!bits) return bits;
    if (auto done = check(*bits); !done) return tl::unexpected(done.error());
    return bits;
}

std::vector<std::string> list_of(unsigned bits) {
    std::vector<std::string> list;
    for (std::size_t place = 0; place < words::process_strategies.size(); ++place)
        if ((bits & (1U << place)) != 0) list.push_back(words::process_strategies[place]);
    return list;
}

std::string words_of(unsigned bits) {
    std::string text;
    for (const std::string &word : list_of(bits)) text.append(text.empty() ? "" : "+").append(word);
    return text.empty() ? "none" : text;
}

}
