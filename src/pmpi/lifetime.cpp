// SPDX-License-Identifier: BSD-3-Clause
// The calls between which there is a record.
#include "pmpi/sensor.hpp"

#include <mpi.h>

using namespace nereus;

extern "C" {
#pragma GCC visibility push(default)

int MPI_Init(int *argc, char ***argv) {
    const int code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS) pmpi::begin();
    return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    const int code = PMPI_Init_thread(argc, argv, required, provided);
    if (code == MPI_SUCCESS) pmpi::begin();
    return code;
}

int MPI_Finalize(void) {
    pmpi::end();
    return PMPI_Finalize();
}

int MPI_Abort(MPI_Comm comm, int code) {
    pmpi::abort();
    return PMPI_Abort(comm, code);
}

/// Levels as the standard suggests them (MPI 4.0, 14.2.4): 0 switches recording off, others switch it on.
int MPI_Pcontrol(const int level, ...) {
    if (pmpi::has_record()) pmpi::recording = level != 0;
    return MPI_SUCCESS;
}

#pragma GCC visibility pop
}
