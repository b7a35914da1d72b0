// SPDX-License-Identifier: BSD-3-Clause
// A job that continues from an epoch: its founders find the registry filled, as newcomers do, and with as many
// processes as there are now.
#pragma once

#include "job/resize/job_state.hpp"
#include "job/saving/restart_record.hpp"

#include <optional>
#include <string>

namespace nereus::job {

/// Collective over the founders, before the application registers anything: all data of the newest epoch in `folder`,
/// or of the one whose folder it is, comes to them. NEREUS_ERR_SETTING where there is none, NEREUS_ERR_MISMATCH where
/// its files are not what they should be, NEREUS_ERR_MEMORY where they do not fit here.
///
/// @return what an epoch has that was saved for a resize by restart
Result<std::optional<RestartRecord>> resume(JobState &job, const std::string &folder);

}
