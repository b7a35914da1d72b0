// SPDX-License-Identifier: BSD-3-Clause
// Process method `restart`: all processes leave, and the supervisor starts the program anew, with the data that they
// left in the folder of the setting `restart-folder` (docs/reference/resize.md).
#pragma once

#include "job/resize/job_state.hpp"
#include "job/saving/restart_record.hpp"

#include <vector>

namespace nereus::job {

/// On rank 0: NEREUS_ERR_UNSUPPORTED where nobody starts processes anew, or where not all data can be saved.
Done check_can_restart(const JobState &job, const nereus_resize_options &options);

/// Collective, at a checkpoint, while no other resize is under way: the data is saved, and the supervisor is told.
///
/// @param hosts_before  rank 0's list of hosts without what the request adds to it or takes from it
/// @return the same on all. With NEREUS_RESIZED this process leaves; else the job goes on as it was.
nereus_resize_report leave_for_restart(JobState &job, const Request &request, const std::vector<Host> &hosts_before);

/// On each founder that was started anew: what rank 0 knew before, and how the resize went. NEREUS_ERR_PROCESS in the
/// report where only as many came as there were before.
///
/// @param opened_unix  when this process began to open the job
nereus_resize_report arrive_by_restart(JobState &job, RestartRecord record, double opened_unix);

}
