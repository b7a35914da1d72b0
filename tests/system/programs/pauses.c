/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends messages around a ring while each rank pauses recording now and then, others at other times, for tests of
 * traces. Each message of a rank has a size of its own: 1, 2 and so on. Receives are posted two ahead, and completed in
 * another order. At the end rank 0 prints how many messages were sent and received while the rank recorded.
 * Usage: pauses [MESSAGES] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { room = 1 << 14, ahead = 2 };
static char out[room], in[ahead][room];

/* Whether a rank records when it deals with the message of a number. */
static int records(int rank, int number) { return (number / 3 + 2 * rank) % 5 < 3; }

static void complete_all(MPI_Request *requests) {
    for (int done = 0; done < ahead; ++done) MPI_Wait(&requests[ahead - 1 - done], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    const int messages = argc > 1 ? atoi(argv[1]) : 300;
    int rank, ranks, recorded = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
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
    MPI_Finalize();
    return 0;
}
