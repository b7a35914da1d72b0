// SPDX-License-Identifier: BSD-3-Clause
// How this process came to the job, and where it sleeps when it has left but cannot end.
#pragma once

#include "base/settings.hpp"
#include "process/park.hpp"

namespace nereus::job {

/// Collective over the newcomers of one party; nothing for founders. A process is a newcomer once for each reason: by
/// being woken, by its parent (MPI keeps the link to it for ever), by the supervisor's word in its environment.
Result<std::optional<process::Arrival>> take_arrival(const Settings &settings);

/// Sleeps in `parked_process`, or in the one that this process has had before and was woken from in vain.
///
/// @return whether the process is wanted again: then take_arrival() has the way in; false at once where there is no
/// parked process
bool sleep_until_wanted(std::optional<process::ParkedProcess> parked_process);

/// The process is in the job again, and parked no more.
void unpark();

}
