// SPDX-License-Identifier: BSD-3-Clause
// Programs that have sessions and never call MPI_Init (MPI 4.0, 11.3): their record begins with the first communicator
// of all processes, since there are no calls before in which all meet, and ends with their last session. Only under
// `nereus monitor`, which gives the sensor to all processes: to one that has none, the question whether it has one
// would be a message that it finds when it frees its communicator.
#pragma once

#include <mpi.h>

namespace nereus::pmpi {

void session_opened();

/// Begins the record where there is none and the new communicator is of all processes. Collective over it.
void begin_if_all(MPI_Comm comm);

/// With the last session ends a record that began so. Collective over all processes then.
void session_to_be_closed();

bool began_with_sessions();

}
