// SPDX-License-Identifier: BSD-3-Clause
// The smallest job that is one: an array, a checkpoint, and what the headers and the library say of their versions.
#include <mpi.h>
#include <nereus/nereus.h>
#include <stdio.h>

#if NEREUS_VERSION_NUMBER < 100
#error "version.h is not that of this version"
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    nereus_job *job = NULL;
    double *x = NULL;
    if (nereus_open(MPI_COMM_WORLD, argc, argv, &job) != NEREUS_OK) return 1;
    nereus_array(job, "x", MPI_DOUBLE, 100, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)&x);
    double sum = 0;
    for (int64_t i = 0; i < nereus_count(job, "x"); ++i) sum += x[i] = 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, nereus_comm(job));
    if (nereus_checkpoint(job) != NEREUS_OK) return 1;
    int rank = 0;
    MPI_Comm_rank(nereus_comm(job), &rank);
    if (rank == 0) printf("sum %g with %s, headers %d\n", sum, nereus_version(), NEREUS_VERSION_NUMBER);
    nereus_close(&job);
    MPI_Finalize();
    return 0;
}
