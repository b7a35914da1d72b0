/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest malleable program: `mpiexec -n 2 example_01` goes from 2 processes to 3 and back to 2. Processes that
 * are made for a resize run main() too; they register the same things, and find the present data in place. */
#include <nereus/nereus.h>
#include <stdio.h>

static nereus_job *job;
/* One process that cannot go on must not leave the loop alone: the others would wait for it for ever. */
static int ok(int code) { return code < 0 ? (fputs(nereus_message(job), stderr), MPI_Abort(MPI_COMM_WORLD, 1)) : code; }

static void work(void) {
    double *x, mine = 0, sum = 0;
    int64_t step = 0;
    int rank, size;
    ok(nereus_array(job, "x", MPI_DOUBLE, 1000, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)&x));
    ok(nereus_value(job, "step", MPI_INT64_T, 1, &step));
    if (nereus_generation(job) == 0) /* later generations find it filled */
        for (int64_t i = 0; i < nereus_count(job, "x"); i++) x[i] = (double)(nereus_first(job, "x") + i);
    while (step < 12) {
        for (int64_t i = 0; i < nereus_count(job, "x"); i++) x[i] += 1;
        MPI_Comm_rank(nereus_comm(job), &rank);
        MPI_Comm_size(nereus_comm(job), &size);
        if (rank == 0 && step == 3) ok(nereus_resize(job, size + 1, NULL, NULL)); /* done two checkpoints later */
        if (rank == 0 && step == 7) ok(nereus_resize(job, size - 1, NULL, NULL));
        step++;
        if (ok(nereus_checkpoint(job)) == NEREUS_LEAVE) return; /* else x, count and communicator may be new */
    }
    for (int64_t i = 0; i < nereus_count(job, "x"); i++) mine += x[i];
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, nereus_comm(job));
    MPI_Comm_rank(nereus_comm(job), &rank);
    if (rank == 0) printf("sum %.0f after %d resizes\n", sum, (int)nereus_generation(job));
}

int main(int argc, char **argv) {
    int code;
    MPI_Init(&argc, &argv);
    do {
        code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
        if (code == NEREUS_OK) work();
    } while (job != NULL && nereus_close(&job) == NEREUS_WOKEN); /* woken: needed again */
    MPI_Finalize();
    return code < 0;
}
