// SPDX-License-Identifier: BSD-3-Clause
// I/O phases of programs that do not say themselves when one begins: from the opening of a file by all processes of a
// job to its close. The job wants to know, so that it can wait for its turn.
#pragma once

#include <mpi.h>
#include <nereus/monitor.h>

namespace nereus::pmpi {

/// Whom to tell, of files that all of `comm` open; NULL: nobody.
void follow_io(MPI_Comm comm, nereus_monitor_io_call call, void *context);

void io_may_begin(MPI_Comm comm); ///< before a file is opened
void io_opened(MPI_Comm comm, MPI_File file);
void io_was_tried(MPI_Comm comm); ///< behind that: it may have failed
void io_closes(MPI_File file);    ///< before it is closed
void io_may_end();                ///< behind that

}
