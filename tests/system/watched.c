/* SPDX-License-Identifier: BSD-3-Clause */
/* An application that iterates until a file is there, and looks in each iteration whether its data is right.
 *
 *     watched STOP
 *
 * The tests of several hosts compile it against the installed library. Exit code 3: data was wrong.
 */
#include <nereus/nereus.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ELEMENTS = 100000, PAUSE_MICROSECONDS = 2000, WRONG = 3 };

/* The library writes to both until the job is closed. */
static int64_t *x, iteration;

static int rank_in(nereus_job *job) {
    int rank = 0;
    MPI_Comm_rank(nereus_comm(job), &rank);
    return rank;
}

/* Element i is i plus the number of iterations, on whichever process it is. */
static int wrong_elements(nereus_job *job) {
    const int64_t first = nereus_first(job, "x");
    int wrong = 0, all = 0;
    for (int64_t i = 0; i < nereus_count(job, "x"); i++) wrong += x[i] != first + i + iteration;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, nereus_comm(job));
    return all;
}

static int is_told_to_stop(nereus_job *job, const char *stop) {
    int there = rank_in(job) == 0 && access(stop, F_OK) == 0;
    MPI_Bcast(&there, 1, MPI_INT, 0, nereus_comm(job));
    return there;
}

/* One process' stay in the job. */
static void stay(nereus_job *job, const char *stop) {
    nereus_array(job, "x", MPI_INT64_T, ELEMENTS, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)&x);
    nereus_value(job, "iteration", MPI_INT64_T, 1, &iteration);
    if (nereus_generation(job) == 0)
        for (int64_t i = 0; i < nereus_count(job, "x"); i++) x[i] = nereus_first(job, "x") + i;
    while (!is_told_to_stop(job, stop)) {
        if (wrong_elements(job) != 0) MPI_Abort(MPI_COMM_WORLD, WRONG);
        for (int64_t i = 0; i < nereus_count(job, "x"); i++) x[i]++;
        iteration++;
        if (nereus_checkpoint(job) == NEREUS_LEAVE) return;
        usleep(PAUSE_MICROSECONDS);
    }
    if (rank_in(job) == 0) printf("intact after %lld iterations\n", (long long)iteration);
}

int main(int argc, char **argv) {
    int given = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    nereus_job *job = NULL;
    do {
        x = NULL;
        iteration = 0;
        if (argc < 2 || nereus_open(MPI_COMM_WORLD, argc, argv, &job) < 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        if (nereus_comm(job) != MPI_COMM_NULL) stay(job, argv[1]);
    } while (nereus_close(&job) == NEREUS_WOKEN);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
