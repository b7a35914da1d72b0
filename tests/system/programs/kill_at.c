// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a job's processes: one of them kills itself at the entry of the n-th call of an MPI function, or waits
// there as long as there is a file $NEREUS_TEST_KILL_FILE.hold and the line that asked for it.
//
// The file $NEREUS_TEST_KILL_FILE has one line, or nothing:
//
//   ID newcomer FUNCTION:N PIDS   in a process that is not one of PIDS, which are the job's members
//   ID member FUNCTION:N PIDS     in one of them
//
// Calls are counted from the first one that sees this ID. Who dies makes FILE.done.ID first, so that one process dies
// and not all. Each process that iterates writes its rank and the size of its job to FILE.rank.PID.
//
// A program may wrap the same functions and comes before what is preloaded; so MPI's second names are taken as well.
#include "at_calls.h"

#include <mpi.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { longest_line = 1024, longest_path = 4096, nap_microseconds = 5000 };

static int is_listed(const char *pids) {
    char *end = NULL;
    for (long pid = strtol(pids, &end, 10); end != pids; pid = strtol(pids, &end, 10)) {
        if (pid == getpid()) return 1;
        pids = end;
    }
    return 0;
}

static int read_line(char *line) {
    const char *path = getenv("NEREUS_TEST_KILL_FILE");
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    if (file == NULL) return 0;
    const int is_there = fgets(line, longest_line, file) != NULL;
    fclose(file);
    return is_there;
}

/// How often the function was called since the ID is this; threads may call at the same time.
static int count(const char *id) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static char counted[32];
    static int calls;
    pthread_mutex_lock(&mutex);
    if (strcmp(counted, id) != 0) {
        snprintf(counted, sizeof counted, "%s", id);
        calls = 0;
    }
    const int now = ++calls;
    pthread_mutex_unlock(&mutex);
    return now;
}

static int is_asked(const char *id) {
    char line[longest_line], asked[32];
    return read_line(line) && sscanf(line, "%31s", asked) == 1 && strcmp(asked, id) == 0;
}

static void stop_if_asked(const char *function) {
    char line[longest_line], id[32], who[32], asked[64], path[longest_path];
    int calls = 0, pids = 0;
    if (!read_line(line)) return;
    if (sscanf(line, "%31s %31s %63[^:]:%d %n", id, who, asked, &calls, &pids) != 4) return;
    if (strcmp(asked, function) != 0 || is_listed(line + pids) != (strcmp(who, "member") == 0)) return;
    if (count(id) != calls) return;
    snprintf(path, sizeof path, "%s.done.%s", getenv("NEREUS_TEST_KILL_FILE"), id);
    if (!is_first_to_make(path)) return;
    snprintf(path, sizeof path, "%s.hold", getenv("NEREUS_TEST_KILL_FILE"));
    if (access(path, F_OK) != 0) raise(SIGKILL);
    while (access(path, F_OK) == 0 && is_asked(id)) usleep(nap_microseconds);
}

AT(MPI_Comm_connect, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
   (port, info, root, comm, made))
AT(MPI_Comm_accept, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
   (port, info, root, comm, made))
AT(MPI_Comm_spawn_multiple,
   (int count, char *programs[], char **arguments[], const int ranks[], const MPI_Info infos[], int root, MPI_Comm comm,
    MPI_Comm *made, int codes[]),
   (count, programs, arguments, ranks, infos, root, comm, made, codes))
AT(MPI_Comm_disconnect, (MPI_Comm * comm), (comm))
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
AT(MPI_Alltoallv,
   (const void *out, const int *sends, const int *from, MPI_Datatype type, void *in, const int *receives, const int *to,
    MPI_Datatype its, MPI_Comm comm),
   (out, sends, from, type, in, receives, to, its, comm))
AT(MPI_Iallreduce,
   (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
   (in, out, count, type, op, comm, request))
AT(MPI_Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request))
AT(MPI_Ibcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),
   (data, count, type, root, comm, request))
AT(MPI_Barrier, (MPI_Comm comm), (comm))
AT(MPI_Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm), (data, count, type, root, comm))
AT(MPI_Gather,
   (const void *out, int sends, MPI_Datatype type, void *in, int receives, MPI_Datatype its, int root, MPI_Comm comm),
   (out, sends, type, in, receives, its, root, comm))

/// The application's own, which it makes in each iteration, is known by its arguments.
static void tell_rank(int count, MPI_Datatype type, MPI_Comm comm) {
    static int told_rank = -1, told_size = -1;
    const char *path = getenv("NEREUS_TEST_KILL_FILE");
    char own[longest_path];
    int rank = 0, size = 0;
    if (path == NULL || count != 4 || type != MPI_INT64_T) return;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    if (rank == told_rank && size == told_size) return;
    snprintf(own, sizeof own, "%s.rank.%d", path, (int)getpid());
    FILE *file = fopen(own, "w");
    if (file == NULL) return;
    fprintf(file, "%d %d\n", rank, size);
    fclose(file);
    told_rank = rank;
    told_size = size;
}

int PMPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    int (*next)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "PMPI_Allreduce");
    stop_if_asked("MPI_Allreduce");
    const int code = next(in, out, count, type, op, comm);
    tell_rank(count, type, comm);
    return code;
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return PMPI_Allreduce(in, out, count, type, op, comm);
}
