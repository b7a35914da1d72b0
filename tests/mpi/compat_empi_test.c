/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user of FlexMPI would lose: a program that is resized as it was, with all data right.
 *
 *     NEREUS_EMPI_SCHEDULE=3:4,8:1 compat_empi_test LAST_SIZE
 *
 * Written as programs of FlexMPI are, with FlexMPI's names alone. An iteration is x = A x in whole numbers modulo
 * 1009, so that any number of processes must get the same.
 */
#include <empi.h>

#include "base/flush_stderr.h"

enum { dim = 37, last = 32, modulus = 1009 };

static int rank, size;

static void expect(int holds, const char *what, int it) {
    if (holds) return;
    fprintf(stderr, "not so on rank %d of %d in iteration %d: %s\n", rank, size, it, what);
    flush_stderr_to_reader();
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static long element(int row, int column) { return (row * 31 + column * 17) % 101; }

static long row_times(const long *row, const long *x) {
    long sum = 0;
    for (int m = 0; m < dim; m++) sum += row[m] * x[m] % modulus;
    return sum % modulus;
}

/* x after `iterations`, by one process. */
static void compute_alone(long *x, int iterations) {
    long row[dim], next[dim];
    for (int i = 0; i < dim; i++) x[i] = i + 1;
    for (int it = 0; it < iterations; it++) {
        for (int n = 0; n < dim; n++) {
            for (int m = 0; m < dim; m++) row[m] = element(n, m);
            next[n] = row_times(row, x);
        }
        memcpy(x, next, sizeof next);
    }
}

struct data {
    long *A;    /* own rows of the matrix */
    long *x;    /* all elements on each process */
    long *seen; /* all elements, but each process has written its own only */
    int *b;     /* own elements */
    int *row;   /* of a sparse matrix: own rows; row i has i % 4 elements */
    int *col;
    double *val;
};

static int sparse_column(int row, int place) { return (row * 5 + place * 7) % dim; }

static void generate_sparse(struct data *d, int disp, int count) {
    d->row = malloc((size_t)(count + 1) * sizeof *d->row);
    d->row[0] = 0;
    for (int n = 0; n < count; n++) d->row[n + 1] = d->row[n] + (disp + n) % 4;
    d->col = malloc((size_t)(d->row[count] + 1) * sizeof *d->col);
    d->val = malloc((size_t)(d->row[count] + 1) * sizeof *d->val);
    for (int n = 0; n < count; n++)
        for (int k = d->row[n]; k < d->row[n + 1]; k++) {
            d->col[k] = sparse_column(disp + n, k - d->row[n]);
            d->val[k] = disp + n + 0.25;
        }
}

static void check_sparse(const struct data *d, int disp, int count, int it) {
    expect(d->row[0] == 0, "rows of a sparse matrix begin with 0", it);
    for (int n = 0; n < count; n++) {
        expect(d->row[n + 1] - d->row[n] == (disp + n) % 4, "the length of a sparse row", it);
        for (int k = d->row[n]; k < d->row[n + 1]; k++) {
            expect(d->col[k] == sparse_column(disp + n, k - d->row[n]), "a column of a sparse matrix", it);
            expect(d->val[k] == disp + n + 0.25 + it, "a value of a sparse matrix", it);
        }
    }
}

static void get_sparse(struct data *d) {
    void *row, *col, *val;
    EMPI_Get_addr_sparse("sparse", &row, &col, &val);
    d->row = row;
    d->col = col;
    d->val = val;
}

static void generate(struct data *d, int disp, int count) {
    for (int n = 0; n < count; n++)
        for (int m = 0; m < dim; m++) d->A[n * dim + m] = element(disp + n, m);
    for (int i = 0; i < dim; i++) d->x[i] = i + 1;
    for (int n = 0; n < count; n++) d->b[n] = 5 * (disp + n);
    for (int n = 0; n < count; n++) d->seen[disp + n] = disp + n;
}

static void check(const struct data *d, int disp, int count, int it) {
    long alone[dim];
    compute_alone(alone, it);
    check_sparse(d, disp, count, it);
    expect(memcmp(alone, d->x, sizeof alone) == 0, "the shared vector", it);
    for (int n = 0; n < count; n++) {
        expect(d->b[n] == 5 * (disp + n), "a disjoint vector", it);
        expect(d->seen[disp + n] == disp + n + it, "own elements of a shared vector", it);
        for (int m = 0; m < dim; m++) expect(d->A[n * dim + m] == element(disp + n, m), "the matrix", it);
    }
}

static void iterate(const struct data *d, int disp, int count, int *vcounts, int *displs) {
    long own[dim];
    for (int n = 0; n < count; n++) own[n] = row_times(d->A + n * dim, d->x);
    for (int n = 0; n < count; n++) d->seen[disp + n]++;
    for (int k = 0; k < d->row[count]; k++) d->val[k]++;
    MPI_Allgatherv(own, count, MPI_LONG, d->x, vcounts, displs, MPI_LONG, EMPI_COMM_WORLD);
}

/* @return EMPI_ACTIVE or EMPI_REMOVED */
static int solve(struct data *d, int it, char *argv[]) {
    int disp, count, status = EMPI_ACTIVE;
    int *vcounts = malloc((size_t)size * sizeof *vcounts), *displs = malloc((size_t)size * sizeof *displs);
    EMPI_Get_wsize(rank, size, dim, &disp, &count, vcounts, displs);
    for (; it < last; it++) {
        check(d, disp, count, it);
        EMPI_Monitor_init();
        iterate(d, disp, count, vcounts, displs);
        EMPI_Monitor_end(&rank, &size, it, last, &count, &disp, &vcounts, &displs, NULL, argv + 1, argv[0]);
        EMPI_Get_status(&status);
        if (status == EMPI_REMOVED) break;
        d->A = EMPI_Get_addr("matrix");
        d->x = EMPI_Get_addr("x");
        d->seen = EMPI_Get_addr("seen");
        d->b = EMPI_Get_addr("b");
        get_sparse(d);
    }
    if (status == EMPI_ACTIVE) check(d, disp, count, last);
    free(vcounts);
    free(displs);
    return status;
}

int main(int argc, char *argv[]) {
    int disp, count, type, it = 0;
    struct data d = {0};
    double seconds = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(EMPI_COMM_WORLD, &rank);
    MPI_Comm_size(EMPI_COMM_WORLD, &size);
    EMPI_Get_wsize(rank, size, dim, &disp, &count, NULL, NULL);
    d.A = EMPI_calloc((size_t)(count > 0 ? count * dim : 1), sizeof *d.A);
    d.b = calloc((size_t)(count > 0 ? count : 1), sizeof *d.b);
    d.x = calloc(dim, sizeof *d.x);
    d.seen = calloc(dim, sizeof *d.seen);
    EMPI_Register_dense("matrix", d.A, MPI_LONG, dim, EMPI_DISJOINT);
    EMPI_Register_vector("x", d.x, MPI_LONG, dim, EMPI_SHARED);
    EMPI_Register_vector("b", d.b, MPI_INT, dim, EMPI_DISJOINT);
    EMPI_Register_vector("seen", d.seen, MPI_LONG, dim, EMPI_SHARED);
    EMPI_Get_type(&type);
    if (type == EMPI_NATIVE) {
        generate(&d, disp, count);
        generate_sparse(&d, disp, count);
    } else {
        d.row = d.col = (int *)8; /* as in FlexMPI's examples: nothing has set them */
    }
    EMPI_Register_sparse("sparse", d.row, d.col, d.val, MPI_DOUBLE, dim, 0);
    if (type != EMPI_NATIVE) {
        EMPI_Get_shared(&it);
        get_sparse(&d);
    }
    expect(type == EMPI_NATIVE ? it == 0 : it > 0, "newcomers go on in the middle", it);
    const int status = solve(&d, it, argv);
    if (status == EMPI_ACTIVE) expect(size == atoi(argv[1]), "the last size is that of the schedule", last);
    EMPI_Get_exec_time(&seconds);
    expect(seconds >= 0, "a time", it);
    double tcomm = 1, tcomp = 1;
    for (int again = 0; again < 2; again++) EMPI_Get_aggregated_tcomm(&tcomm);
    EMPI_Get_aggregated_tcomp(&tcomp);
    expect(tcomm == 0 && tcomp == 0, "what is not measured is 0", it);
    expect(EMPI_GLOBAL_cum_cost == 0 && EMPI_GLOBAL_niter_lb == 0, "variables without a meaning are 0", it);
    if (type == EMPI_NATIVE && status == EMPI_ACTIVE)
        expect(EMPI_GLOBAL_tover > 0 && EMPI_GLOBAL_overhead_processes > 0, "resizes take time", it);
    EMPI_free(d.A, "matrix");
    EMPI_free(d.x, "x");
    EMPI_free(d.b, "b");
    EMPI_Deregister_shared("seen");
    free(d.seen);
    EMPI_free(&d, "sparse");
    MPI_Finalize();
    /* As FlexMPI's examples end, on processes that have left: it must not end the job. */
    return status == EMPI_REMOVED;
}
