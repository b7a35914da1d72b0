// SPDX-License-Identifier: BSD-3-Clause
// How sources and newcomers decide together: each newcomer sends its vote to the root, the sources agree among
// themselves, the root decides and tells everybody. Newcomers may be late or dead, so the root waits for them with a
// time limit and does not wait when it tells them; sources live, or the job has ended.
#pragma once

#include "base/clock.hpp"
#include "job/resize/vote_messages.hpp"
#include "process/meeting.hpp"

#include <vector>

namespace nereus::job {

/// What the root knows after a vote.
struct Verdict {
    Done all;
    std::vector<std::uint64_t> sums;  ///< on sources: of all sources; on the root: of newcomers too
    Handles made = Handles::object(); ///< by newcomers: Vote::made of all of them; on the root
};

/// Collective over the sources. `meeting` is NULL when there are no newcomers.
Verdict collect(MPI_Comm sources, const process::Meeting *meeting, const Vote &vote, const Deadline &deadline);

/// The root tells the first `newcomers` of them; returns at once.
void tell(const process::Meeting &meeting, int newcomers, const Decision &decision);

/// A newcomer's side of collect() and tell(): says what it has to say and waits for the decision.
/// @return a "yes"; a "no" is the error that it says
Result<Decision> vote_and_wait(const process::Meeting &meeting, const Vote &vote);

/// What rank 0 decides next, as vote_and_wait() returns it.
Result<Decision> wait_for_decision(const process::Meeting &meeting);

/// A newcomer has read what tell() sent; and the root waits until all have, where it ends soon after: MPI may read a
/// long message in its memory.
void say_heard(const process::Meeting &meeting);
void wait_until_heard(const process::Meeting &meeting, const Deadline &deadline);

/// For a newcomer that waits for data: a decision that comes before its vote says that the resize was rolled back.
News rolled_back_by_root(const process::Meeting &meeting);

}
