// SPDX-License-Identifier: BSD-3-Clause
// How sources and newcomers decide together: each newcomer sends its vote to the root, the sources agree among
// themselves, the root decides and tells everybody. Newcomers may be late or dead, so the root waits for them with a
// time limit and does not wait when it tells them; sources live, or the job has ended.
#pragma once

#include "base/clock.hpp"
#include "mpi/share.hpp"
#include "process/meeting.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace nereus::job {

/// What a process has to say: whether it is fine, and numbers that are added over all processes.
struct Vote {
    Done mine;
    std::vector<std::uint64_t> sums{};
    nlohmann::json details{}; ///< of a newcomer, for the root
};

/// The root's decision, and what it adds for the newcomers.
struct Verdict {
    Done all;
    std::vector<std::uint64_t> sums;       ///< on sources: of all sources; on the root: of newcomers too
    std::vector<nlohmann::json> details{}; ///< of each newcomer; on the root
};

/// Collective over the sources. `meeting` is NULL when there are no newcomers.
Verdict collect(MPI_Comm sources, const process::Meeting *meeting, const Vote &vote, const Deadline &deadline);

/// The root tells the first `newcomers` of them; returns at once.
void tell(const process::Meeting &meeting, int newcomers, const Done &decision, const nlohmann::json &details);

/// A newcomer's side of collect() and tell(): says what it has to say and waits for the decision.
Result<nlohmann::json> vote_and_wait(const process::Meeting &meeting, const Vote &vote);

/// What rank 0 decides next.
Result<nlohmann::json> wait_for_decision(const process::Meeting &meeting);

/// A newcomer has read what tell() sent; and the root waits until all have, where it ends soon after: MPI may read a
/// long message in its memory.
void say_heard(const process::Meeting &meeting);
void wait_until_heard(const process::Meeting &meeting, const Deadline &deadline);

/// For a newcomer that waits for data: a decision that comes before its vote says that the resize was rolled back.
News rolled_back_by_root(const process::Meeting &meeting);

}
