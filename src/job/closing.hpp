// SPDX-License-Identifier: BSD-3-Clause
// The end of a job that a supervisor watches.
#pragma once

#include "job/resize/job_state.hpp"

namespace nereus::job {

/// Collective. The supervisor takes the end of a process before this for its death: none may end while others have not
/// come here.
Done close_together(JobState &job);

}
