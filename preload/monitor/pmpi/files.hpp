// SPDX-License-Identifier: BSD-3-Clause
// Files that the program has open through MPI: what is read and written in each, from open to close.
//
// Counted is what a call asks for: a read at the end of a file may give less.
#pragma once

#include <mpi.h>

namespace nereus::pmpi {

void opened(MPI_Comm comm, const char *name, int mode, MPI_File file);
void closed(MPI_File file); ///< before it is closed

void wrote(MPI_File file, MPI_Count count, MPI_Datatype type);
void was_read(MPI_File file, MPI_Count count, MPI_Datatype type);

}
