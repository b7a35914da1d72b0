// SPDX-License-Identifier: BSD-3-Clause
#include "words.hpp"

#include <algorithm>

namespace emulator {

namespace {

template <class T> std::string_view word_of(const Words<T> &words, T value) {
    const auto found = std::ranges::find(words, value, &std::pair<std::string_view, T>::second);
    return found == words.end() ? "unknown" : found->first;
}

} // namespace

const Words<nereus_process_method> &process_methods() {
    static const Words<nereus_process_method> words{
        {"merge", NEREUS_MERGE}, {"baseline-inter", NEREUS_BASELINE_INTER}, {"baseline-intra", NEREUS_BASELINE_INTRA}};
    return words;
}

const Words<nereus_transfer_method> &transfer_methods() {
    static const Words<nereus_transfer_method> words{{"auto", NEREUS_TRANSFER_AUTO},
                                                     {"p2p", NEREUS_P2P},
                                                     {"col", NEREUS_COL},
                                                     {"rma-lock", NEREUS_RMA_LOCK},
                                                     {"rma-lockall", NEREUS_RMA_LOCKALL}};
    return words;
}

const Words<nereus_transfer_strategy> &transfer_strategies() {
    static const Words<nereus_transfer_strategy> words{{"auto", NEREUS_STRATEGY_AUTO},
                                                       {"blocking", NEREUS_BLOCKING},
                                                       {"nonblocking", NEREUS_NONBLOCKING},
                                                       {"wait-drains", NEREUS_WAIT_DRAINS},
                                                       {"thread", NEREUS_THREAD}};
    return words;
}

const Words<nereus_survivors> &survivor_choices() {
    static const Words<nereus_survivors> words{
        {"auto", NEREUS_SURVIVORS_AUTO}, {"first", NEREUS_FIRST}, {"least-movement", NEREUS_LEAST_MOVEMENT}};
    return words;
}

std::string_view name_of(nereus_process_method method) { return word_of(process_methods(), method); }
std::string_view name_of(nereus_transfer_method method) { return word_of(transfer_methods(), method); }
std::string_view name_of(nereus_transfer_strategy strategy) { return word_of(transfer_strategies(), strategy); }

bool is_one_sided(nereus_transfer_method method) { return method == NEREUS_RMA_LOCK || method == NEREUS_RMA_LOCKALL; }

} // namespace emulator
