/* SPDX-License-Identifier: BSD-3-Clause */
/* y = A x with a sparse matrix whose rows go where the vector's elements go; the sum of y must not change.
 *
 *     mpiexec -n 2 example_06    becomes two processes larger, then one
 */
#include <nereus/nereus.h>

#include <stdio.h>

enum { n = 500, last = 60 };

/* Row i has 2 on its diagonal and -1 at each divisor d < i of i. */
static int64_t nonzeros_of(int64_t i) {
    int64_t count = 1;
    for (int64_t d = 1; d < i; d++) count += i % d == 0;
    return count;
}

static void fill(nereus_matrix *a) {
    double *values = a->values;
    a->starts[0] = a->first_nonzero;
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t row = a->first_row + i;
        int64_t at = a->starts[i] - a->first_nonzero;
        for (int64_t d = 1; d <= row; d++) {
            if (row % d != 0 || d == row) continue;
            a->columns[at] = d;
            values[at++] = -1;
        }
        a->columns[at] = row;
        values[at++] = 2;
        a->starts[i + 1] = a->first_nonzero + at;
    }
}

/* The sum of y, where x[i] = i: nothing is rounded. */
static double multiply(nereus_job *job, const nereus_matrix *a, double *y) {
    const double *values = a->values;
    double mine = 0, sum = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        y[i] = 0;
        for (int64_t k = a->starts[i] - a->first_nonzero; k < a->starts[i + 1] - a->first_nonzero; k++)
            y[i] += values[k] * (double)a->columns[k];
        mine += y[i];
    }
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, nereus_comm(job));
    return sum;
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

static void iterate(nereus_job *job) {
    nereus_matrix a;
    double *y, sum = 0;
    int64_t step = 0, nonzeros = 0;
    int rank, size;
    ok(job, nereus_array(job, "y", MPI_DOUBLE, n, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)&y));
    for (int64_t i = 0; i < nereus_count(job, "y"); i++) nonzeros += nonzeros_of(nereus_first(job, "y") + i);
    ok(job, nereus_matrix_csr(job, "A", MPI_DOUBLE, n, nonzeros, NULL, NEREUS_CONSTANT, &a)); /* cut as y is */
    ok(job, nereus_value(job, "step", MPI_INT64_T, 1, &step));
    if (nereus_generation(job) == 0) fill(&a);
    while (step < last) {
        MPI_Comm_size(nereus_comm(job), &size);
        sum = multiply(job, &a, y);
        MPI_Comm_rank(nereus_comm(job), &rank);
        if (rank == 0 && step == 10) ask(job, size + 2);
        if (rank == 0 && step == 30) ask(job, 1);
        step++;
        if (ok(job, nereus_checkpoint(job)) == NEREUS_LEAVE) return;
    }
    printf("sum %.0f after %d resizes\n", sum, (int)nereus_generation(job));
}

int main(int argc, char **argv) {
    nereus_job *job = NULL;
    MPI_Init(&argc, &argv);
    do {
        if (nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK) iterate(job);
    } while (job != NULL && nereus_close(&job) == NEREUS_WOKEN);
    MPI_Finalize();
    return 0;
}
