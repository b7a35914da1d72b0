// SPDX-License-Identifier: BSD-3-Clause
// Makes the processes of one party by MPI_Comm_spawn (Martín-Álvarez et al. 2024, section 4.2).
#pragma once

#include "mpi/comm.hpp"
#include "plan/spawn_groups.hpp"
#include "process/program.hpp"

namespace nereus::process {

/// Collective over `spawners`: the processes of `party`, running `program` as seen by rank 0, on the party's hosts.
///
/// @return an inter-communicator to them; on an error nothing was made, with the same reason on every spawner
Result<mpi::Comm> spawn(MPI_Comm spawners, const Program &program, const plan::Party &party);

}
