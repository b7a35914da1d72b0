// SPDX-License-Identifier: BSD-3-Clause
#include "way.hpp"

#include "base/methods.hpp"

namespace transfers {
namespace {

namespace words = nereus::words;

const std::string shared = "shm";

tl::unexpected<std::string> not_a_way(const std::string &text) {
    return tl::unexpected(text + ": allowed is PROCESSES:METHOD:STRATEGY with the processes " +
                          nereus::allowed_of(words::process_methods) + ", each also with :STRATEGIES, the methods " +
                          nereus::allowed_of(words::transfer_methods) + ", " + shared + ", and the strategies " +
                          nereus::allowed_of(words::transfer_strategies));
}

tl::expected<common::Combination, std::string> read_processes(const std::string &text) {
    return common::read_combination(text.find(':') == text.npos ? text + ":none" : text);
}

}

tl::expected<Way, std::string> read_way(const std::string &text) {
    const std::size_t last = text.rfind(':');
    const std::size_t middle = last == text.npos || last == 0 ? text.npos : text.rfind(':', last - 1);
    if (middle == text.npos) return not_a_way(text);
    const std::string method = text.substr(middle + 1, last - middle - 1);
    const auto made = read_processes(text.substr(0, middle));
    const auto carried = nereus::number_of(words::transfer_methods, method == shared ? "p2p" : method);
    const auto waited = nereus::number_of(words::transfer_strategies, text.substr(last + 1));
    if (!made || made->method == NEREUS_RESTART || !carried || !waited) return not_a_way(text);
    return Way{text, *made, static_cast<nereus_transfer_method>(*carried),
               static_cast<nereus_transfer_strategy>(*waited), method == shared};
}

std::string word_of(nereus_transfer_method method) { return nereus::word_of(words::transfer_methods, method); }
std::string word_of(nereus_transfer_strategy strategy) { return nereus::word_of(words::transfer_strategies, strategy); }

}
