// SPDX-License-Identifier: BSD-3-Clause
// The communicators of the next generation, made beside those of the present one.
#pragma once

#include "job/generation.hpp"
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

/// A shrink by Merge: those that stay get their new ranks, and sources that cannot end get a lot with rank 0.
///
/// Collective over the sources.
struct Shrunk {
    Generation next; ///< empty on those that leave
    mpi::Comm lot;   ///< of rank 0 and those that park, if any does
};
Result<Shrunk> shrink(const Generation &now, const plan::Sizes &sizes);

}
