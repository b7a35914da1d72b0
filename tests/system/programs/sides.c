/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct calls whose types are none, or may be anything, where they say nothing: 100 iterations on two ranks. */
#include <mpi.h>
#include <stdio.h>

/* What is not sent has no type; Open MPI wants one all the same. */
#ifdef OPEN_MPI
#define NO_TYPE MPI_INT
#else
#define NO_TYPE MPI_DATATYPE_NULL
#endif

static void read_atomically(MPI_Win window, int *value) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, window);
    MPI_Win_unlock(0, window);
}

static void send_to_the_other(int rank) {
    int out = rank, in = 0, counts[2] = {rank == 1, rank == 0}, places[2] = {0, 0};
    MPI_Datatype types[2] = {rank == 1 ? MPI_INT : NO_TYPE, rank == 0 ? MPI_INT : NO_TYPE};
    MPI_Alltoallw(&out, counts, places, types, &in, counts, places, types, MPI_COMM_WORLD);
}

static void meet_the_other_side(MPI_Comm sides, int rank) {
    int one = 1, all = 0, counts[1] = {1};
    if (rank == 0)
        MPI_Gather(NULL, 0, MPI_DATATYPE_NULL, &all, 1, MPI_INT, MPI_ROOT, sides);
    else
        MPI_Gather(&one, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, sides);
    MPI_Bcast(&one, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, sides);
    MPI_Reduce_scatter(&one, &all, counts, MPI_INT, MPI_SUM, sides);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, value = 0, read = 0;
    MPI_Comm sides = MPI_COMM_NULL;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &sides);
    MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < 100; i++) {
        read_atomically(window, &read);
        send_to_the_other(rank);
        meet_the_other_side(sides, rank);
    }
    MPI_Win_free(&window);
    MPI_Comm_free(&sides);
    if (rank == 0) puts("done");
    return MPI_Finalize();
}
