// SPDX-License-Identifier: BSD-3-Clause
// Programs that have sessions and never call MPI_Init (MPI 4.0, 11.3): their record begins with the first communicator
// of all processes, since there are no calls before in which all meet, and ends when none is open any more. Only under
// `nereus monitor`, which gives the sensor to all processes: to one that has none, the question whether it has one
// would be a message that it finds when it frees its communicator.
#pragma once

#include <mpi.h>

// Groups of different sessions are compared, which MPI does not promise (MPI 4.0, 11.3.1) and MPICH does.
#if MPI_VERSION >= 4 && defined(MPICH_VERSION)
#define NEREUS_SESSIONS
#endif

namespace nereus::pmpi {

void session_opened();

/// Begins the record where there is none and the new communicator is of all processes. Collective over it.
void begin_if_all(MPI_Comm comm);

/// With the last session ends a record that began so. Collective over all processes then, for some time at least.
void session_to_be_closed();

bool began_with_sessions();

}
