// SPDX-License-Identifier: BSD-3-Clause
#include "base/strategies.hpp"

#include "base/methods_table.hpp"

#include <algorithm>

namespace nereus::strategies {
namespace {

/// Bit of one word; 0 when there is no such word.
unsigned bit_of(const std::string &word) {
    const auto found = std::ranges::find(words::process_strategies, word);
    return found == words::process_strategies.end() ? 0 : 1U << (found - words::process_strategies.begin());
}

Result<unsigned> with_word(unsigned bits, const std::string &word) {
    const unsigned bit = bit_of(word);
    if (bit == 0) return failed(NEREUS_ERR_ARGUMENT, "`" + word + "` is no process strategy: allowed is " + allowed);
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

const char *const allowed = "auto, none, or some of asynchronous, single, multiple, parallel, join with + between them";

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
    for (const std::string &word : words::process_strategies)
        if ((bits & bit_of(word)) != 0) list.push_back(word);
    return list;
}

std::string words_of(unsigned bits) {
    std::string text;
    for (const std::string &word : list_of(bits)) text.append(text.empty() ? "" : "+").append(word);
    return text.empty() ? "none" : text;
}

}
