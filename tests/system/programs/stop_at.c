// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a job's processes: a newcomer that `nereus run` started is stopped at its first call of the MPI
// function that $NEREUS_TEST_STOP_AT names. The first that is makes the file $NEREUS_TEST_STOPPED, and is the only one.
//
// A program may wrap the same functions and comes before what is preloaded; so MPI's second names are taken.
#include "at_calls.h"

#include <mpi.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void stop_if_asked(const char *function) {
    const char *const at = getenv("NEREUS_TEST_STOP_AT"), *const mark = getenv("NEREUS_TEST_STOPPED");
    if (at == NULL || mark == NULL || getenv("NEREUS_PARTY") == NULL || strcmp(at, function) != 0) return;
    if (is_first_to_make(mark)) raise(SIGSTOP);
}

AT(MPI_Init_thread, (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided))
AT(MPI_Comm_connect, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
   (port, info, root, comm, made))
AT(MPI_Intercomm_merge, (MPI_Comm link, int high, MPI_Comm *made), (link, high, made))
