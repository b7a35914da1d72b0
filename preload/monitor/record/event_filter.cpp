// SPDX-License-Identifier: BSD-3-Clause
#include "record/event_filter.hpp"

#include <algorithm>

namespace nereus::monitor {

EventFilter::EventFilter(Settings settings, std::span<const char *const> message_calls)
    : settings_(std::move(settings)), takes_all_calls_(settings_.calls.empty()),
      follows_messages_(takes_all_calls_ || std::ranges::all_of(message_calls, [&](const char *call) {
                            return settings_.calls.contains(call);
                        })) {}

bool EventFilter::is_listed(const char *name) const {
    const std::lock_guard lock(guard_);
    const auto found = known_.find(name);
    if (found != known_.end()) return found->second;
    return known_[name] = settings_.calls.contains(name);
}

}
