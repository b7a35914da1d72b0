// SPDX-License-Identifier: BSD-3-Clause
// Makes new processes: MPI_Comm_spawn by all members, rank 0 as root (Martín-Álvarez et al. 2024, section 4.2).
#pragma once

#include "mpi/comm.hpp"
#include "process/program.hpp"

namespace nereus::process {

/// Collective over `members`: `count` processes of `program` as seen by its rank 0.
///
/// @return an inter-communicator to them; on an error nothing was made, with the same reason on every member
Result<mpi::Comm> spawn(MPI_Comm members, const Program &program, int count);

}
