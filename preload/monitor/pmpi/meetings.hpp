// SPDX-License-Identifier: BSD-3-Clause
// When and how this process met processes of other worlds. Both sides tell it, and whoever reads both records sees who
// is who: sensors of different worlds send each other nothing, since nobody knows whether the other has one.
#pragma once

#include <mpi.h>

namespace nereus::pmpi {

/// Before the call that this thread makes now.
void meeting_begins();

/// Behind it. @param by  `spawn`, `accept`, `connect` or `join`
void met(const char *by, MPI_Comm others);

/// Those that spawned this process, if any did: from the load of this library to MPI_Init.
void met_parents();

}
