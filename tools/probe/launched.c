/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells which MPI it is, and whether its launcher is of the same MPI: else every process is a job of its own. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0, rank = 0, size = 0;
    MPI_Init(&argc, &argv);
    MPI_Get_library_version(text, &length);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    text[strcspn(text, "\r\n")] = '\0';
    printf("nereus-launched: %d of %d: %s\n", rank, size, text);
    MPI_Finalize();
    return 0;
}
