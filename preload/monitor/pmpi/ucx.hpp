// SPDX-License-Identifier: BSD-3-Clause
// Messages that MPICH makes of collectives, where it hands them to UCX: seen in front of UCX's functions, which this
// library has too and passes on.
//
// MPICH writes into the tag of each message on which communicator it goes, in the highest 16 bits, of which the lowest
// is set for collectives; to whom it goes, only the endpoint says. Messages of our own tell which rank is behind which
// endpoint, and whether that bit is where it is expected; else nothing is told.
#pragma once

#include <mpi.h>
#include <string>

namespace nereus::pmpi {

struct SeenByUcx {
    int ranks = 0;   ///< other ranks of the world, messages to which go over UCX
    std::string why; ///< nothing can be told; "" where it can
};

/// Collective over `comm`, a copy of MPI_COMM_WORLD.
SeenByUcx watch_ucx(MPI_Comm comm);
void unwatch_ucx();

}
