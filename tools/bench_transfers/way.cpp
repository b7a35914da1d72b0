// SPDX-License-Identifier: BSD-3-Clause
#include "way.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace transfers {
namespace {

using Words = std::vector<std::pair<std::string, int>>;

const std::string shared = "shm";

const Words processes{
    {"merge", NEREUS_MERGE}, {"baseline-inter", NEREUS_BASELINE_INTER}, {"baseline-intra", NEREUS_BASELINE_INTRA}};

const Words methods{{"p2p", NEREUS_P2P},
                    {"col", NEREUS_COL},
                    {"rma-lock", NEREUS_RMA_LOCK},
                    {"rma-lockall", NEREUS_RMA_LOCKALL},
                    {"auto", NEREUS_TRANSFER_AUTO}};

const Words strategies{{"blocking", NEREUS_BLOCKING},
                       {"nonblocking", NEREUS_NONBLOCKING},
                       {"wait-drains", NEREUS_WAIT_DRAINS},
                       {"thread", NEREUS_THREAD},
                       {"auto", NEREUS_STRATEGY_AUTO}};

std::string listed(const Words &words) {
    std::string all;
    for (const auto &[word, value] : words) all += (all.empty() ? "" : ", ") + word;
    return all;
}

const int *value_of(const Words &words, const std::string &word) {
    const auto found = std::ranges::find(words, word, &Words::value_type::first);
    return found == words.end() ? nullptr : &found->second;
}

std::string word_of(const Words &words, int value) {
    const auto found = std::ranges::find(words, value, &Words::value_type::second);
    return found == words.end() ? "unknown" : found->first;
}

tl::unexpected<std::string> refused(const std::string &text) {
    return tl::unexpected(text + ": allowed is PROCESSES:METHOD:STRATEGY with the processes " + listed(processes) +
                          ", the methods " + listed(methods) + ", " + shared + ", and the strategies " +
                          listed(strategies));
}

}

tl::expected<Way, std::string> read_way(const std::string &text) {
    const std::size_t first = text.find(':');
    const std::size_t second = first == text.npos ? text.npos : text.find(':', first + 1);
    if (second == text.npos) return refused(text);
    const std::string method = text.substr(first + 1, second - first - 1);
    const int *made = value_of(processes, text.substr(0, first));
    const int *carried = value_of(methods, method == shared ? "p2p" : method);
    const int *waited = value_of(strategies, text.substr(second + 1));
    if (!made || !carried || !waited) return refused(text);
    return Way{text, static_cast<nereus_process_method>(*made), static_cast<nereus_transfer_method>(*carried),
               static_cast<nereus_transfer_strategy>(*waited), method == shared};
}

std::string word_of(nereus_transfer_method method) { return word_of(methods, method); }
std::string word_of(nereus_transfer_strategy strategy) { return word_of(strategies, strategy); }

}
