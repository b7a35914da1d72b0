/* SPDX-License-Identifier: BSD-3-Clause */
/* Two worlds that send each other what tests of the monitor expect: those that are started spawn two more, send each
 * child 5 messages of 40 bytes from rank 0, get 8 bytes back from each, and sum a double over all of both worlds. */
#include <mpi.h>

enum { children = 2, messages = 5 };

static void talk_as_parents(MPI_Comm to_children, int rank) {
    char out[40] = "", in[8];
    if (rank != 0) return;
    for (int child = 0; child < children; ++child) {
        for (int i = 0; i < messages; ++i) MPI_Send(out, sizeof out, MPI_CHAR, child, i, to_children);
        MPI_Recv(in, sizeof in, MPI_CHAR, child, 0, to_children, MPI_STATUS_IGNORE);
    }
}

static void talk_as_children(MPI_Comm to_parents) {
    char out[8] = "", in[40];
    for (int i = 0; i < messages; ++i) MPI_Recv(in, sizeof in, MPI_CHAR, 0, i, to_parents, MPI_STATUS_IGNORE);
    MPI_Send(out, sizeof out, MPI_CHAR, 0, 0, to_parents);
}

static void sum_over_both(MPI_Comm others, int is_child) {
    MPI_Comm all;
    double one = 1, sum = 0;
    MPI_Intercomm_merge(others, is_child, &all);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, all);
    MPI_Comm_free(&all);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm others;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&others);
    const int is_child = others != MPI_COMM_NULL;
    if (!is_child)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                       MPI_ERRCODES_IGNORE);
    if (is_child)
        talk_as_children(others);
    else
        talk_as_parents(others, rank);
    sum_over_both(others, is_child);
    MPI_Comm_disconnect(&others);
    MPI_Finalize();
    return 0;
}
