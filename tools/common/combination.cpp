// SPDX-License-Identifier: BSD-3-Clause
#include "combination.hpp"

#include "base/methods.hpp"
#include "base/strategies.hpp"

namespace common {
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

std::string complaint(const Combination &wanted, const nereus_resize_report &report) {
    const bool is_free = (wanted.strategies & NEREUS_AUTO) != 0;
    if (report.process_method != wanted.method || (!is_free && report.process_strategies != wanted.strategies))
        return "it was carried out in another way";
    if (wanted.wakes && report.to > report.from && report.woken == 0) return "no process was parked, so none was woken";
    if (!wanted.wakes && report.woken > 0) return "processes were woken that should have been made";
    return "";
}

}
