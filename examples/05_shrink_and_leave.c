/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of processes that are not needed any more.
 *
 *     mpiexec -n 3 example_05      3 processes become 4, then 1
 *
 * MPI lets a process end only together with all others of its MPI_COMM_WORLD. The process that was made later is a
 * world of its own: it leaves for good. Founders other than rank 0 cannot: nereus_close() keeps them asleep, using
 * next to no processor time, until rank 0 closes the job. The program does not have to tell these cases apart. */
#include <nereus/nereus.h>

#include <stdio.h>

enum { elements = 50, last = 6 };

static int rank_in(MPI_Comm comm) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

/* One process that cannot go on must not leave the loop alone: the others would wait for it for ever. */
static int ok(nereus_job *job, int code) {
    if (code >= 0) return code;
    fprintf(stderr, "%s\n", nereus_message(job));
    return MPI_Abort(MPI_COMM_WORLD, 1);
}

static void ask(nereus_job *job, int ranks) {
    if (rank_in(nereus_comm(job)) != 0) return;
    if (nereus_resize(job, ranks, NULL, NULL) < 0) fprintf(stderr, "example_05: %s\n", nereus_message(job));
}

/* Rank 0 is left alone, with all elements. */
static void print_report(nereus_job *job, const float *x) {
    nereus_resize_report report;
    int size, sum = 0;
    ok(job, nereus_last_resize(job, &report));
    MPI_Comm_size(nereus_comm(job), &size);
    for (int64_t i = 0; i < nereus_count(job, "x"); i++) sum += (int)x[i];
    printf("%d to %d processes: %d left, %d sleep, sum %d\n", report.from, size, report.left, report.parked, sum);
}

static void iterate(nereus_job *job) {
    float *x;
    int64_t step = 0;
    int size;
    ok(job, nereus_array(job, "x", MPI_FLOAT, elements, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)&x));
    ok(job, nereus_value(job, "step", MPI_INT64_T, 1, &step));
    if (nereus_generation(job) == 0)
        for (int64_t i = 0; i < nereus_count(job, "x"); i++) x[i] = (float)(nereus_first(job, "x") + i);
    while (step < last) {
        MPI_Comm_size(nereus_comm(job), &size);
        if (step == 0) ask(job, size + 1);
        if (step == 3) ask(job, 1);
        step++;
        if (ok(job, nereus_checkpoint(job)) == NEREUS_LEAVE) return; /* nothing of x is here any more */
    }
    print_report(job, x);
}

int main(int argc, char **argv) {
    nereus_job *job = NULL;
    int code;
    MPI_Init(&argc, &argv);
    do {
        code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
        if (code == NEREUS_OK) iterate(job);
    } while (job != NULL && nereus_close(&job) == NEREUS_WOKEN);
    MPI_Finalize();
    return code < 0;
}
