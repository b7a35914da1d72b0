// SPDX-License-Identifier: BSD-3-Clause
// Which calls and messages a trace takes: those of some names, those that move so many bytes.
#pragma once

#include "record/timed_calls.hpp"

#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <tsl/robin_map.h>

namespace nereus::monitor {

class EventFilter {
public:
    struct Settings {
        std::set<std::string> calls = {}; ///< their names without MPI_; none: all
        std::uint64_t least_bytes = 0;
    };
    /// `message_calls`: all calls that send messages, or receive them.
    EventFilter(Settings settings, std::span<const char *const> message_calls);

    /// A call that has no size of its own, such as a wait, may end the receive of any message.
    bool takes(const CallShape &shape) const {
        return (shape.bytes == 0 || takes_message(shape.bytes)) && takes_call(shape.call);
    }
    bool takes_call(const char *name) const { return takes_all_calls_ || is_listed(name); }
    bool takes_message(std::uint64_t bytes) const { return bytes >= settings_.least_bytes; }

    /// Where a call is left out that sends or receives, messages cannot be followed.
    bool follows_messages() const { return follows_messages_; }

private:
    bool is_listed(const char *name) const;

    const Settings settings_;
    const bool takes_all_calls_;
    const bool follows_messages_;
    mutable std::mutex guard_;
    mutable tsl::robin_map<const char *, bool> known_; ///< by the place of the text
};

}
