// SPDX-License-Identifier: BSD-3-Clause
// A job that continues from an epoch: its founders find the registry filled, as newcomers do, and with as many
// processes as there are now.
#pragma once

#include "job/resize/job_state.hpp"

namespace nereus::job {

/// Collective over the founders, before the application registers anything: all data of the epoch of the setting
/// `resume` comes to them. NEREUS_ERR_SETTING where there is none, NEREUS_ERR_MISMATCH where its files are not what
/// they should be, NEREUS_ERR_MEMORY where they do not fit here.
Done resume(JobState &job);

}
