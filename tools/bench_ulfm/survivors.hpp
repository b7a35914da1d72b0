// SPDX-License-Identifier: BSD-3-Clause
// The processes that are left when one has died, by the calls of ULFM (User Level Failure Mitigation), and those that
// take the place of the dead.
#pragma once

#include <mpi.h>

namespace ulfm_bench {

/// Collective over those that are left, who come here from any call: a communicator of them in the order of `former`,
/// which is freed.
MPI_Comm survivors_of(MPI_Comm former);

/// Collective over `left`, which is freed: with as many new processes of this program as are missing.
MPI_Comm with_newcomers(MPI_Comm left, int missing, char **argv);

/// The same for a new process; MPI_COMM_NULL for one that mpiexec started.
MPI_Comm with_those_before();

}
