// SPDX-License-Identifier: BSD-3-Clause
// Files of shared memory that outlive the processes of the job, because the supervisor has them open.
#pragma once

#include "job/resize/job_state.hpp"
#include "memory/handle.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace nereus::job {

/// Of what the supervisor keeps for one job: for a restart, not for an epoch.
inline constexpr std::uint64_t no_epoch = 0;

/// Collective.
///
/// @param handles  on rank 0: memory::as_json() of each file, or null. Elsewhere nothing
/// @param epoch    for which they are; those of the epoch before the last one are let go then
/// @return the same on all: how processes that come later find each file; none for what is not kept
Result<std::vector<std::optional<memory::Handle>>> keep_files(JobState &job, std::uint64_t request, std::uint64_t epoch,
                                                              const nlohmann::json &handles);

}
