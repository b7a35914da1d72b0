/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat in a rod by Jacobi's method, each process exchanging its borders with its neighbours.
 *
 *     mpiexec -n 2 example_02          becomes one process larger, then half as large
 *     mpiexec -n 2 example_02 fixed    stays as it is: the checksum is the same, to the last bit
 */
#include <nereus/nereus.h>

#include <stdio.h>
#include <string.h>

enum { cells = 1000, last = 400 };

/* The left end of the rod is kept at 1, the right end at 0. */
static void sweep(nereus_job *job, double *u) {
    const MPI_Comm comm = nereus_comm(job);
    const int64_t n = nereus_count(job, "u");
    double left = 1, right = 0;
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int before = rank == 0 ? MPI_PROC_NULL : rank - 1, after = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
    MPI_Sendrecv(&u[n - 1], 1, MPI_DOUBLE, after, 0, &left, 1, MPI_DOUBLE, before, 0, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[0], 1, MPI_DOUBLE, before, 1, &right, 1, MPI_DOUBLE, after, 1, comm, MPI_STATUS_IGNORE);
    for (int64_t i = 0; i < n; i++) {
        const double old = u[i];
        u[i] = (left + (i + 1 < n ? u[i + 1] : right)) / 2;
        left = old;
    }
}

/* The sum of all cells' bits: no rounding, so that it does not depend on how the cells are cut. */
static void print_checksum(nereus_job *job, const double *u) {
    uint64_t bits, mine = 0, sum = 0;
    int rank;
    for (int64_t i = 0; i < nereus_count(job, "u"); i++) {
        memcpy(&bits, &u[i], sizeof bits);
        mine += bits;
    }
    MPI_Reduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, nereus_comm(job));
    MPI_Comm_rank(nereus_comm(job), &rank);
    if (rank == 0) printf("checksum %016llx after %d resizes\n", (unsigned long long)sum, (int)nereus_generation(job));
}

/* One process that cannot go on must not leave the loop alone: the others would wait for it for ever. */
static int ok(nereus_job *job, int code) {
    if (code >= 0) return code;
    fprintf(stderr, "%s\n", nereus_message(job));
    return MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A wish that cannot be fulfilled is no reason to end: the job goes on with the processes that it has. */
static void ask(nereus_job *job, int ranks) {
    if (nereus_resize(job, ranks, NULL, NULL) < 0) fprintf(stderr, "%s\n", nereus_message(job));
}

static void ask_at(nereus_job *job, int64_t step) {
    int rank, size;
    MPI_Comm_rank(nereus_comm(job), &rank);
    MPI_Comm_size(nereus_comm(job), &size);
    if (rank == 0 && step == 100) ask(job, size + 1);
    if (rank == 0 && step == 250) ask(job, size / 2);
}

static void iterate(nereus_job *job, int malleable) {
    double *u;
    int64_t step = 0;
    ok(job, nereus_array(job, "u", MPI_DOUBLE, cells, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)&u)); /* zeroed */
    ok(job, nereus_value(job, "step", MPI_INT64_T, 1, &step));
    while (step < last) {
        sweep(job, u);
        if (malleable) ask_at(job, step);
        step++;
        if (ok(job, nereus_checkpoint(job)) == NEREUS_LEAVE) return;
    }
    print_checksum(job, u);
}

int main(int argc, char **argv) {
    nereus_job *job = NULL;
    int code;
    MPI_Init(&argc, &argv);
    const int malleable = argc < 2 || strcmp(argv[1], "fixed") != 0;
    do {
        code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
        if (code == NEREUS_OK) iterate(job, malleable);
    } while (job != NULL && nereus_close(&job) == NEREUS_WOKEN);
    MPI_Finalize();
    return code < 0;
}
