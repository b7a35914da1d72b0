// SPDX-License-Identifier: BSD-3-Clause
// One array gets another distribution over the processes of a communicator; no job is needed.
//
// In:  who has the array and who is to have it, where their parts lie.
// Out: new parts; the old ones are left as they are.
#pragma once

#include "plan/move.hpp"
#include "redistribution/holders.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace nereus::redistribution {

struct Redistribution {
    std::int64_t extent; ///< bytes of an element
    Holders from, to;

    /// What the process with this rank does.
    plan::Move move_of(int rank) const;
    /// Of all of this.
    std::int64_t checksum() const;
};

/// Collective over `comm`: whether all have the same checksum, and nobody has an error; else NEREUS_ERR_MISMATCH. Where
/// processes have errors, all get that of the first one, whose sentence is empty elsewhere.
Done agree(MPI_Comm comm, const Result<std::int64_t> &checksum);

/// With the same redistribution on all sources and drains; others have nothing to do.
///
/// @param comm  of ours alone
/// @param move  of this process
Done carry_out(MPI_Comm comm, const Redistribution &redistribution, plan::Move move, const std::byte *old_part,
               std::byte *new_part);

}
