/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends what tests of the monitor expect it to have sent: each kind of transfer, in amounts that only depend on the
 * ranks. Usage: talks KIND [FOLDER or FILE], where KIND is p2p, split, collective, neighbours, onesided, io,
 * all, inplace, nothing, reduce, busy, twice (MPI_Init once more), late (when main has returned), aborts or dies; or a
 * list of collectives and their bytes, as alltoall:1000,bcast:4. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most = 1 << 16 };
static char out[most], in[most];
static int rank, ranks;

static int next_of(int r, int n) { return (r + 1) % n; }
static int previous_of(int r, int n) { return (r + n - 1) % n; }

/* To the next rank: three messages of 100 (rank + 1) bytes; to the one before: 8 bytes, twice, persistent; none of 0.
 */
static void point_to_point(void) {
    const int next = next_of(rank, ranks), previous = previous_of(rank, ranks);
    for (int i = 0; i < 3; ++i) {
        MPI_Request request;
        MPI_Isend(out, 100 * (rank + 1), MPI_CHAR, next, i, MPI_COMM_WORLD, &request);
        MPI_Recv(in, most, MPI_CHAR, previous, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request requests[2];
    MPI_Send_init(out, 1, MPI_DOUBLE, previous, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in, 1, MPI_DOUBLE, next, 7, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; ++i) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
    MPI_Sendrecv(out, 0, MPI_INT, next, 8, in, 0, MPI_INT, previous, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

/* 16 bytes to the next rank among those of the same parity, over a communicator of these in reverse order. */
static void in_a_part(void) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    int own, size;
    MPI_Comm_rank(half, &own);
    MPI_Comm_size(half, &size);
    MPI_Sendrecv(out, 2, MPI_DOUBLE, previous_of(own, size), 1, in, 2, MPI_DOUBLE, next_of(own, size), 1, half,
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
}

static void collectives(void) {
    int counts[64], places[64];
    for (int i = 0; i < ranks; ++i) {
        counts[i] = i + 1;
        places[i] = 0;
    }
    MPI_Request request;
    MPI_Bcast(out, 1000, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Reduce(out, in, 5, MPI_DOUBLE, MPI_SUM, ranks - 1, MPI_COMM_WORLD);
    for (int i = 0; i < 2; ++i) MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ialltoallv(out, counts, places, MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_SELF, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Scatterv(out, counts, places, MPI_INT, in, rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scan(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* What stays in place has no type: gather and gatherv of 8 bytes to rank 0, scatter of 8 bytes from it, reduce of 8
 * bytes to it; allgather, allreduce and alltoall of 8 bytes. */
static void in_place(void) {
    int counts[64], places[64];
    for (int i = 0; i < ranks; ++i) {
        counts[i] = 1;
        places[i] = i;
    }
    if (rank == 0) {
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Scatter(out, 1, MPI_DOUBLE, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
        MPI_Reduce(MPI_IN_PLACE, in, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    } else {
        MPI_Gather(out, 1, MPI_DOUBLE, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
        MPI_Gatherv(out, 1, MPI_DOUBLE, NULL, NULL, NULL, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Reduce(out, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* 4 bytes to both neighbours on a line, 6 to those on a ring that is a distributed graph. */
static void neighbours(void) {
    MPI_Comm line, ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (int[]){0}, 0, &line);
    MPI_Neighbor_alltoall(out, 4, MPI_CHAR, in, 4, MPI_CHAR, line);
    const int from = previous_of(rank, ranks), to = next_of(rank, ranks);
    const int weight = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, &weight, 1, &to, &weight, MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_allgather(out, 6, MPI_CHAR, in, 6, MPI_CHAR, ring);
    MPI_Comm_free(&line);
    MPI_Comm_free(&ring);
}

/* Put 64 bytes to the next rank and get 32 from it. */
static void one_sided(void) {
    static char shown[128];
    MPI_Win window;
    MPI_Win_create(shown, sizeof shown, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(out, 64, MPI_CHAR, next_of(rank, ranks), 0, 64, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    MPI_Get(in, 32, MPI_CHAR, next_of(rank, ranks), 0, 32, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* Each rank writes 10 bytes, twice, and reads 5. */
static void input_output(const char *folder) {
    char name[4096];
    snprintf(name, sizeof name, "%s/talks.dat", folder);
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    for (int i = 0; i < 2; ++i) MPI_File_write_at(file, 20 * rank + 10 * i, out, 10, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, 20 * rank, in, 5, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

/* What calls with a count for each process get: every other process half, also nothing. */
typedef struct {
    int counts[64], places[64];
    MPI_Datatype types[64];
} parts;

static parts parts_of(int size, int of) {
    parts made;
    for (int i = 0; i < ranks; ++i) {
        made.counts[i] = (i + of) % 2 ? size : size / 2;
        made.places[i] = i * size;
        made.types[i] = MPI_BYTE;
    }
    return made;
}

/* To and from each process up to so many bytes of these. */
static char *from, *to;

static void alltoall(int size) { MPI_Alltoall(from, size, MPI_BYTE, to, size, MPI_BYTE, MPI_COMM_WORLD); }

static void alltoallv(int size) {
    const parts p = parts_of(size, rank);
    MPI_Alltoallv(from, p.counts, p.places, MPI_BYTE, to, p.counts, p.places, MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoallw(int size) {
    const parts p = parts_of(size, rank);
    MPI_Alltoallw(from, p.counts, p.places, p.types, to, p.counts, p.places, p.types, MPI_COMM_WORLD);
}

static void allgather(int size) { MPI_Allgather(from, size, MPI_BYTE, to, size, MPI_BYTE, MPI_COMM_WORLD); }

static void allgatherv(int size) {
    const parts p = parts_of(size, 0);
    MPI_Allgatherv(from, p.counts[rank], MPI_BYTE, to, p.counts, p.places, MPI_BYTE, MPI_COMM_WORLD);
}

static void allreduce(int size) { MPI_Allreduce(from, to, size, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD); }

static void reduce(int size) { MPI_Reduce(from, to, size, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD); }

static void reduce_scatter(int size) {
    const parts p = parts_of(size, 0);
    MPI_Reduce_scatter(from, to, p.counts, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

static void reduce_scatter_block(int size) {
    MPI_Reduce_scatter_block(from, to, size, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

static void bcast(int size) { MPI_Bcast(from, size, MPI_BYTE, 0, MPI_COMM_WORLD); }

static void gather(int size) { MPI_Gather(from, size, MPI_BYTE, to, size, MPI_BYTE, 0, MPI_COMM_WORLD); }

static void gatherv(int size) {
    const parts p = parts_of(size, 0);
    MPI_Gatherv(from, p.counts[rank], MPI_BYTE, to, p.counts, p.places, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void scatter(int size) { MPI_Scatter(from, size, MPI_BYTE, to, size, MPI_BYTE, 0, MPI_COMM_WORLD); }

static void scatterv(int size) {
    const parts p = parts_of(size, 0);
    MPI_Scatterv(from, p.counts, p.places, MPI_BYTE, to, p.counts[rank], MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void scan(int size) { MPI_Scan(from, to, size, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD); }

static void exscan(int size) { MPI_Exscan(from, to, size, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD); }

static void barrier(int size) {
    (void)size;
    MPI_Barrier(MPI_COMM_WORLD);
}

#define NAMED(collective) {#collective, collective}
static const struct {
    const char *name;
    void (*call)(int size);
} known[] = {
    NAMED(alltoall),   NAMED(alltoallv), NAMED(alltoallw), NAMED(allgather),
    NAMED(allgatherv), NAMED(allreduce), NAMED(reduce),    NAMED(reduce_scatter),
    NAMED(bcast),      NAMED(gather),    NAMED(gatherv),   NAMED(reduce_scatter_block),
    NAMED(scatter),    NAMED(scatterv),  NAMED(scan),      NAMED(exscan),
    NAMED(barrier),
};

static void call_one(const char *name, int size) {
    from = calloc((size_t)ranks, (size_t)size);
    to = calloc((size_t)ranks, (size_t)size);
    size_t at = 0;
    while (at < sizeof known / sizeof *known && strcmp(known[at].name, name) != 0) ++at;
    if (at == sizeof known / sizeof *known || size < 1 || ranks > 64) MPI_Abort(MPI_COMM_WORLD, 2);
    known[at].call(size);
    free(from);
    free(to);
}

/* NAME:SIZE,NAME:SIZE... */
static void one_by_one(char *list) {
    for (char *each = strtok(list, ","); each; each = strtok(NULL, ",")) {
        char *const size = strchr(each, ':');
        *size = 0;
        call_one(each, atoi(size + 1));
    }
}

static void one_reduce(void) {
    enum { numbers = 1000000 };
    int *many = calloc(numbers, sizeof *many), *sums = calloc(numbers, sizeof *sums);
    MPI_Reduce(many, sums, numbers, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    free(many);
    free(sums);
}

/* Point to point again and again, until rank 0 sees a file of that name. */
static void until_there_is(const char *file) {
    for (int go_on = 1; go_on;) {
        point_to_point();
        go_on = access(file, F_OK) != 0;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static void begin_twice(void) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Init(NULL, NULL);
    point_to_point();
}

/* When main has returned, as destructors of global objects do. */
static void talk_and_end(void) {
    point_to_point();
    MPI_Finalize();
}

static void end_badly(const char *how) {
    /* All have sent what they send. */
    if (strcmp(how, "aborts") == 0 || strcmp(how, "dies") == 0) MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "aborts") == 0 && rank == 0) {
        MPI_Abort(MPI_COMM_WORLD, 3);
        for (;;) pause(); /* MPICH 5 returns, and ends the processes a little later */
    }
    if (strcmp(how, "dies") == 0 && rank == ranks - 1) abort();
    if (strcmp(how, "aborts") == 0 || strcmp(how, "dies") == 0) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "all";
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int all = strcmp(kind, "all") == 0;
    if (all || strcmp(kind, "p2p") == 0 || strcmp(kind, "aborts") == 0 || strcmp(kind, "dies") == 0) point_to_point();
    if (all || strcmp(kind, "split") == 0) in_a_part();
    if (all || strcmp(kind, "collective") == 0) collectives();
    if (all || strcmp(kind, "neighbours") == 0) neighbours();
    if (all || strcmp(kind, "onesided") == 0) one_sided();
    if (all || strcmp(kind, "io") == 0) input_output(argc > 2 ? argv[2] : ".");
    if (strcmp(kind, "inplace") == 0) in_place();
    if (strcmp(kind, "reduce") == 0) one_reduce();
    if (strchr(kind, ':')) one_by_one(argv[1]);
    if (strcmp(kind, "busy") == 0) until_there_is(argc > 2 ? argv[2] : "");
    if (strcmp(kind, "twice") == 0) begin_twice();
    end_badly(kind);
    if (strcmp(kind, "late") == 0) return atexit(talk_and_end);
    MPI_Finalize();
    return 0;
}
