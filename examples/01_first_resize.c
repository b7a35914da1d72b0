/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest malleable program: `mpiexec -n 2 example_01` goes from 2 processes to 3 and back to 2. Processes that
 * are made for a resize run main() too; they register the same things, and find the present data in place. */
#include <nereus/nereus.h>
#include <stdio.h>

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

static void work(nereus_job *job) {
    double *x, mine = 0, sum = 0;
    int64_t step = 0;
    int rank, size;
    ok(job, nereus_array(job, "x", MPI_DOUBLE, 1000, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)&x));
    ok(job, nereus_value(job, "step", MPI_INT64_T, 1, &step));
    if (nereus_generation(job) == 0) /* later generations find it filled */
        for (int64_t i = 0; i < nereus_count(job, "x"); i++) x[i] = (double)(nereus_first(job, "x") + i);
    while (step < 12) {
        for (int64_t i = 0; i < nereus_count(job, "x"); i++) x[i] += 1;
        MPI_Comm_rank(nereus_comm(job), &rank);
        MPI_Comm_size(nereus_comm(job), &size);
        if (rank == 0 && step == 3) ask(job, size + 1); /* done two checkpoints later */
        if (rank == 0 && step == 7) ask(job, size - 1);
        step++;
        if (ok(job, nereus_checkpoint(job)) == NEREUS_LEAVE) return; /* else x, count and communicator may be new */
    }
    for (int64_t i = 0; i < nereus_count(job, "x"); i++) mine += x[i];
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, nereus_comm(job));
    MPI_Comm_rank(nereus_comm(job), &rank);
    if (rank == 0) printf("sum %.0f after %d resizes\n", sum, (int)nereus_generation(job));
}

int main(int argc, char **argv) {
    nereus_job *job = NULL;
    int code;
    MPI_Init(&argc, &argv);
    do {
        code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
        if (code == NEREUS_OK) work(job);
    } while (job != NULL && nereus_close(&job) == NEREUS_WOKEN); /* woken: needed again */
    MPI_Finalize();
    return code < 0;
}
