// SPDX-License-Identifier: BSD-3-Clause
#include "base/strategies.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace nereus::strategies {
namespace {

struct Word {
    std::string_view word;
    unsigned bit;
};

constexpr std::array words{Word{"asynchronous", asynchronous}, Word{"single", single}, Word{"multiple", multiple},
                           Word{"parallel", parallel},         Word{"join", join},     Word{"auto", automatic}};

struct Conflict {
    unsigned one;
    unsigned others; ///< it excludes each of these
    std::string_view why;
};

constexpr std::array conflicts{
    Conflict{automatic, asynchronous | single | multiple | parallel | join, "auto chooses by itself"},
    Conflict{join, single | multiple | parallel, "with join the supervisor starts the processes and none is spawned"},
    Conflict{single, parallel, "with single rank 0 alone spawns, with parallel every process does"},
};

/// Bit of one word; 0 when there is no such word.
unsigned bit_of(std::string_view word) {
    for (const Word &w : words)
        if (w.word == word) return w.bit;
    return 0;
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
    for (const Conflict &conflict : conflicts)
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
    for (const Word &w : words)
        if ((bits & w.bit) != 0) list.emplace_back(w.word);
    return list;
}

std::string words_of(unsigned bits) {
    std::string text;
    for (const std::string &word : list_of(bits)) text.append(text.empty() ? "" : "+").append(word);
    return text.empty() ? "none" : text;
}

}
