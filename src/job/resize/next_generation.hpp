// SPDX-License-Identifier: BSD-3-Clause
// The communicators of the next generation, made beside those of the present one.
#pragma once

#include "job/state/generation.hpp"
#include "plan/move.hpp"
#include "process/meeting.hpp"

namespace nereus::job {

/// What nereus_comm() returns: a duplicate of `comm` with MPI's default error handler, since the application's is its
/// own affair.
///
/// Collective over `comm`.
Result<mpi::Comm> application_of(const mpi::Comm &comm);

/// Communicators of a job whose members are all of `comm`.
///
/// Collective over `comm`, which is taken over.
Result<Generation> generation_of(mpi::Comm comm);

/// An expand by Merge: what settle_control() completes at the commit.
///
/// Collective over `meeting`. @param drain  of this process
Result<Generation> grow(const mpi::Comm &meeting, const plan::Sizes &sizes, int drain);

/// Cannot fail. Where the drains have the order of `meeting`, that is their communicator; else it is freed.
void settle_control(Generation &next, mpi::Comm &meeting);

/// A shrink by Merge: some sources go on, and those that cannot end get a lot with rank 0.
///
/// Collective over the sources.
struct Shrunk {
    Generation next; ///< empty on those that leave
    mpi::Comm lot;   ///< of rank 0 and those that park, if any does
};
Result<Shrunk> shrink(const Generation &now, const plan::Sizes &sizes);

}
