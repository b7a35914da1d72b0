/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest malleable program: an array, an iteration number, and two resizes.
 *
 *     mpiexec -n 2 example_01      goes from 2 processes to 3 and back to 2
 *
 * Processes that are made for a resize run main() too. nereus_open() makes them part of the job; they register the
 * same things in the same order, and find the present data in place. */
#include <nereus/nereus.h>

#include <stdio.h>

enum { elements = 1000, last = 12 };

/* Only rank 0 may ask. The resize itself happens at the checkpoint after the next one. */
static void ask(nereus_job *job, int64_t step) {
    int rank, size;
    MPI_Comm_rank(nereus_comm(job), &rank);
    MPI_Comm_size(nereus_comm(job), &size);
    if (rank == 0 && step == 3) nereus_resize(job, size + 1, NULL, NULL);
    if (rank == 0 && step == 7) nereus_resize(job, size - 1, NULL, NULL);
}

static void print_sum(nereus_job *job, const double *x) {
    double mine = 0, sum = 0;
    int rank;
    for (int64_t i = 0; i < nereus_count(job, "x"); i++) mine += x[i];
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, nereus_comm(job));
    MPI_Comm_rank(nereus_comm(job), &rank);
    if (rank == 0) printf("sum %.0f after %d resizes\n", sum, (int)nereus_generation(job));
}

/* One process' stay in the job. */
static void work(nereus_job *job) {
    double *x;
    int64_t step = 0;
    nereus_array(job, "x", MPI_DOUBLE, elements, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)&x);
    nereus_value(job, "step", MPI_INT64_T, 1, &step);
    if (nereus_generation(job) == 0) /* later generations find it filled */
        for (int64_t i = 0; i < nereus_count(job, "x"); i++) x[i] = (double)(nereus_first(job, "x") + i);
    while (step < last) {
        for (int64_t i = 0; i < nereus_count(job, "x"); i++) x[i] += 1;
        ask(job, step);
        step++;
        if (nereus_checkpoint(job) == NEREUS_LEAVE) return; /* this process is not needed any more */
        /* After NEREUS_RESIZED, x, nereus_count() and nereus_comm() are those of the new size. */
    }
    print_sum(job, x);
}

int main(int argc, char **argv) {
    nereus_job *job = NULL;
    int code;
    MPI_Init(&argc, &argv);
    do {
        code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
        if (code == NEREUS_OK) work(job);
    } while (job != NULL && nereus_close(&job) == NEREUS_WOKEN); /* woken: this process is needed again */
    MPI_Finalize();
    return code < 0;
}
