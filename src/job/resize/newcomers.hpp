// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 decides about the newcomers of a resize: who is woken, who is made, how and where.
#pragma once

#include "job/resize/job_state.hpp"
#include "job/state/request.hpp"
#include "plan/move.hpp"
#include "process/making.hpp"

namespace nereus::job {

/// Rank 0's decision, and what it holds of it alone.
struct Newcomers {
    process::Wanted wanted;
    std::vector<process::WokenParty> woken;
    std::vector<plan::World> worlds; ///< of each newcomer
};

/// On rank 0. Parked processes are woken when all is decided, so that an error leaves them asleep.
Result<Newcomers> choose_newcomers(JobState &job, const Request &request, const plan::Sizes &sizes);

/// Collective: rank 0's `chosen.wanted` on all.
Result<process::Wanted> share_wanted(MPI_Comm sources, const Result<Newcomers> &chosen);

}
