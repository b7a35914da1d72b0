// SPDX-License-Identifier: BSD-3-Clause
// The calls between which there is a record.
#include "pmpi/messages.hpp"
#include "pmpi/sensor.hpp"
#include "pmpi/sessions.hpp"

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
    if (!pmpi::began_with_sessions()) pmpi::end();
    return PMPI_Finalize();
}

#if defined(NEREUS_SESSIONS)

int MPI_Session_init(MPI_Info info, MPI_Errhandler errors, MPI_Session *session) {
    const int code = PMPI_Session_init(info, errors, session);
    if (code == MPI_SUCCESS) pmpi::session_opened();
    return code;
}

int MPI_Comm_create_from_group(MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler errors, MPI_Comm *comm) {
    const int code = PMPI_Comm_create_from_group(group, tag, info, errors, comm);
    if (code == MPI_SUCCESS && *comm != MPI_COMM_NULL) pmpi::begin_if_all(*comm);
    if (code == MPI_SUCCESS && pmpi::trace()) pmpi::communicator_made(*comm);
    return code;
}

int MPI_Session_finalize(MPI_Session *session) {
    pmpi::session_to_be_closed();
    return PMPI_Session_finalize(session);
}

#endif

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
