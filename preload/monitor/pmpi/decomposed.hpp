// SPDX-License-Identifier: BSD-3-Clause
// The messages that an MPI makes of collectives, where something can see them.
#pragma once

#include <mpi.h>

namespace nereus::pmpi {

/// From here on they are counted. Says in the record what sees them, or why nothing does.
/// Collective over `comm`, a copy of MPI_COMM_WORLD.
/// @param model  whether a model may tell them where not all are seen
void watch_decomposed(MPI_Comm comm, bool model);

void unwatch_decomposed();

}
