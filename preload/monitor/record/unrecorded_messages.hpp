// SPDX-License-Identifier: BSD-3-Clause
// Counts the messages that a process sends and receives while its trace does not record: those behind them keep their
// places, so that readers still find the receive of each (docs/formats/trace.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
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
    static constexpr std::size_t most_keys = 1 << 16;

    /// `number`: of the receive. @return false: there is no room for it, and what is behind it has lost its place
    bool add(const Key &key, std::uint32_t number) {
        const std::lock_guard lock(guard_);
        if (counts_.size() == most_keys && !counts_.contains(key)) return false;
        Count &count = counts_[key];
        if (count.messages == UINT32_MAX) return false;
        ++count.messages;
        count.first = std::min(count.first, number);
        count.last = std::max(count.last, number);
        return true;
    }

    /// Since this was asked last.
    Counts take() {
        const std::lock_guard lock(guard_);
        return std::exchange(counts_, {});
    }

private:
    std::mutex guard_;
    Counts counts_;
};

}
