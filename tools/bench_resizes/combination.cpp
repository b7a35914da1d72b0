// SPDX-License-Identifier: BSD-3-Clause
#include "combination.hpp"

#include "base/methods.hpp"
#include "base/strategies.hpp"

namespace resizes {
namespace {

namespace words = nereus::words;

tl::unexpected<std::string> refused(const std::string &text) {
    return tl::unexpected(text + ": allowed is METHOD:STRATEGIES with the methods " +
                          nereus::allowed_of(words::process_methods) +
                          ", and as strategies none, wake (merge only), or of " +
                          nereus::allowed_of(words::process_strategies) + " those that are wanted, joined by +");
}

}

tl::expected<Combination, std::string> read_combination(const std::string &text) {
    const std::size_t colon = text.find(':');
    const auto method = nereus::number_of(words::process_methods, text.substr(0, colon));
    if (!method || colon == text.npos) return refused(text);
    Combination combination{text, static_cast<nereus_process_method>(*method), 0, false};
    const std::string how = text.substr(colon + 1);
    combination.wakes = how == "wake" && *method == NEREUS_MERGE;
    const auto strategies = nereus::strategies::read_strategies(combination.wakes ? "auto" : how);
    if (!strategies) return refused(text);
    combination.strategies = *strategies;
    return combination;
}

}
