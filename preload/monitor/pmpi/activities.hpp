// SPDX-License-Identifier: BSD-3-Clause
// What the process does beside its calls of MPI, as the program or its libraries say it: states of activities, and
// iterations. Only the trace wants to know (traced.hpp).
#pragma once

#include <cstdint>
#include <string_view>

namespace nereus::pmpi {

/// Of the job's library: a trace can be limited to what happens around it (record/recording_windows.hpp), and always
/// has its states.
constexpr std::string_view resize_activity = "resize";

constexpr std::string_view iteration_activity = "iteration";

/// Whether it can be the name of one.
bool is_activity(std::string_view name);

/// `state` is "" where the activity ends. @return what nereus_monitor_state() does
int enter_state(std::string_view activity, std::string_view state);

/// @return whether there is a trace
bool begin_iteration(std::uint64_t number);

}
