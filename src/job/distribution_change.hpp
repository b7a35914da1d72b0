// SPDX-License-Identifier: BSD-3-Clause
// A registered array gets another distribution over the processes that the job has, as it does in a resize: new parts
// lie beside the old ones until all have theirs.
#pragma once

#include "job/resize/job_state.hpp"

#include <nereus/nereus.h>

#include <string>

namespace nereus::job {

/// Collective. Where one process fails, all do, and nothing is changed.
///
/// @param wanted  of the same elements, or why this process was given none
/// @return NEREUS_OK, or NEREUS_UNCHANGED where the array has it already
Result<nereus_code> change_distribution(JobState &job, const std::string &name, const Result<plan::Shape> &wanted);

}
