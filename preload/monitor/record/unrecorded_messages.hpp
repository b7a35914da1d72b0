// SPDX-License-Identifier: BSD-3-Clause
// Counts the messages that a process sends and receives while its trace does not record: those behind them keep their
// places, so that readers still find the receive of each (docs/formats/trace.md). Not for several threads at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace nereus::monitor {

class UnrecordedMessages {
public:
    struct Key {
        bool is_sent; ///< else received
        std::uint32_t group;
        std::int32_t peer, tag;
        bool operator<(const Key &other) const {
            return std::tie(is_sent, group, peer, tag) < std::tie(other.is_sent, other.group, other.peer, other.tag);
        }
    };
    struct Count {
        std::uint32_t messages = 0;
        std::uint32_t first = UINT32_MAX, last = 0; ///< numbers of their receives
    };
    using Counts = std::map<Key, Count>;
    enum class Added { counted, no_more, none };

    explicit UnrecordedMessages(std::uint64_t most_keys)
        : most_keys_(std::min<std::uint64_t>(most_keys, most_keys_anywhere)) {}

    /// `number`: of the receive. @return `no_more`, once: there is no room, and nothing is counted from now on
    Added add(const Key &key, std::uint32_t number) {
        if (is_full_) return Added::none;
        Count &count = counts_[key];
        if (counts_.size() > most_keys_ || count.messages == UINT32_MAX) {
            is_full_ = true;
            counts_.clear();
            return Added::no_more;
        }
        ++count.messages;
        count.first = std::min(count.first, number);
        count.last = std::max(count.last, number);
        return Added::counted;
    }

    /// Since this was asked last.
    Counts take() { return std::exchange(counts_, {}); }

private:
    static constexpr std::uint64_t most_keys_anywhere = 1 << 16;

    std::uint64_t most_keys_;
    bool is_full_ = false;
    Counts counts_;
};

}
