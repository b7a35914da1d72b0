/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends messages while recording pauses now and then, for tests of traces. Usage: pauses WAY, where WAY is
 *
 * ring: around a ring; each rank pauses at other times. Each message of a rank has a size of its own. Receives are
 *   posted two ahead, and completed in another order. Rank 0 prints how many messages were sent and received while the
 *   rank recorded.
 * threads: a thread of rank 0 sends to rank 1, which always records, while another one pauses and resumes.
 * small: each rank sends a byte and gets 100, and messages of 100 bytes have an empty one among them. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { room = 1 << 14, ahead = 2, messages = 300, by_thread = 5000, sizes = 1000 };
static char out[room], in[ahead][room];
static int rank, ranks;
static atomic_int has_sent;

/* Whether a rank records when it deals with the message of a number. */
static int records(int of_rank, int number) { return (number / 3 + 2 * of_rank) % 5 < 3; }

static void complete_all(MPI_Request *requests) {
    for (int done = 0; done < ahead; ++done) MPI_Wait(&requests[ahead - 1 - done], MPI_STATUS_IGNORE);
}

static void ring(void) {
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    int recorded = 0, all = 0;
    for (int first = 0; first < messages; first += ahead) {
        MPI_Request requests[ahead];
        for (int i = 0; i < ahead; ++i) MPI_Irecv(in[i], room, MPI_CHAR, before, i, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < ahead; ++i) {
            MPI_Pcontrol(records(rank, first + i));
            MPI_Send(out, first + i + 1, MPI_CHAR, next, i, MPI_COMM_WORLD);
        }
        MPI_Pcontrol(records(rank, first));
        complete_all(requests);
        for (int i = 0; i < ahead; ++i) recorded += records(before, first + i) && records(rank, first);
    }
    MPI_Pcontrol(1);
    MPI_Reduce(&recorded, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d\n", all);
}

static void *send_all(void *nothing) {
    for (int i = 0; i < by_thread; ++i) MPI_Send(out, i % sizes + 1, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
    has_sent = 1;
    return nothing;
}

static void threads(void) {
    if (rank == 1)
        for (int i = 0; i < by_thread; ++i) MPI_Recv(in[0], room, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) return;
    pthread_t sender;
    pthread_create(&sender, NULL, send_all, NULL);
    for (int turn = 0; !has_sent; ++turn) {
        MPI_Pcontrol(turn % 2);
        for (int i = 0; i < 3; ++i) MPI_Send(out, 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    }
    MPI_Pcontrol(1);
    pthread_join(sender, NULL);
}

static void small(void) {
    for (int i = 0; i < 5; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Sendrecv(out, rank == 0 ? 1 : 100, MPI_CHAR, 1 - rank, 7, in[0], room, MPI_CHAR, 1 - rank, 7,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 6; ++i) {
        if (rank == 0) MPI_Send(out, i == 3 ? 0 : 100, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(in[0], room, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    const char *const way = argc > 1 ? argv[1] : "";
    int provided;
    MPI_Init_thread(&argc, &argv, strcmp(way, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(way, "ring") == 0) ring();
    if (strcmp(way, "threads") == 0) threads();
    if (strcmp(way, "small") == 0) small();
    MPI_Finalize();
    return 0;
}
