// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a job's processes: a newcomer kills itself at the entry of the n-th call of an MPI function.
//
// The file $NEREUS_TEST_KILL_FILE has FUNCTION:N, or nothing. Who strikes makes FILE.done.FUNCTION:N first, so that one
// newcomer dies and not all.
#define _GNU_SOURCE
#include <mpi.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_newcomer(void) {
    MPI_Comm parent = MPI_COMM_NULL;
    if (getenv("NEREUS_PARTY") != NULL) return 1;
    PMPI_Comm_get_parent(&parent);
    return parent != MPI_COMM_NULL;
}

static int first_to_make(const char *path) {
    const int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

static void strike_if_asked(const char *function, int call) {
    const char *path = getenv("NEREUS_TEST_KILL_FILE");
    char asked[128] = "", here[128], mark[4096];
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    if (file == NULL) return;
    const int there = fscanf(file, "%127s", asked);
    fclose(file);
    snprintf(here, sizeof here, "%s:%d", function, call);
    if (there != 1 || strcmp(asked, here) != 0 || !is_newcomer()) return;
    snprintf(mark, sizeof mark, "%s.done.%s", path, here);
    if (first_to_make(mark)) raise(SIGKILL);
}

#define AT(name, parameters, arguments)                                                                                \
    int name parameters {                                                                                              \
        static int calls;                                                                                              \
        strike_if_asked(#name, ++calls);                                                                               \
        return P##name arguments;                                                                                      \
    }

AT(MPI_Comm_connect, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
   (port, info, root, comm, made))
AT(MPI_Intercomm_merge, (MPI_Comm link, int high, MPI_Comm *made), (link, high, made))
AT(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
AT(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
AT(MPI_Comm_free, (MPI_Comm * comm), (comm))
AT(MPI_Win_create, (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window),
   (base, size, unit, info, comm, window))
AT(MPI_Win_free, (MPI_Win * window), (window))
AT(MPI_Irecv, (void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
   (data, count, type, from, tag, comm, request))
AT(MPI_Isend, (const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request),
   (data, count, type, to, tag, comm, request))
AT(MPI_Rget,
   (void *data, int count, MPI_Datatype type, int rank, MPI_Aint place, int there, MPI_Datatype their, MPI_Win window,
    MPI_Request *request),
   (data, count, type, rank, place, there, their, window, request))
AT(MPI_Ialltoallw,
   (const void *out, const int *sends, const int *from, const MPI_Datatype *types, void *in, const int *receives,
    const int *to, const MPI_Datatype *its, MPI_Comm comm, MPI_Request *request),
   (out, sends, from, types, in, receives, to, its, comm, request))
AT(MPI_Allreduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
   (in, out, count, type, op, comm))
