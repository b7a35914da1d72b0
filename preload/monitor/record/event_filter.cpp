// SPDX-License-Identifier: BSD-3-Clause
#include "record/event_filter.hpp"

#include <algorithm>
#include <tsl/robin_map.h>

namespace nereus::monitor {

EventFilter::EventFilter(Settings settings, std::span<const char *const> message_calls)
    : settings_(std::move(settings)), takes_all_calls_(settings_.calls.empty()),
      follows_messages_(takes_all_calls_ || std::ranges::all_of(message_calls, [&](const char *call) {
                            return settings_.calls.contains(call);
                        })) {}

bool EventFilter::takes_call(const char *name) const {
    // By the place of the text; without a destructor, as a thread may call MPI when its others have run.
    static thread_local auto *known = new tsl::robin_map<const char *, bool>;
    const auto found = known->find(name);
    if (found != known->end()) return found->second;
    return (*known)[name] = settings_.calls.contains(name);
}

}
