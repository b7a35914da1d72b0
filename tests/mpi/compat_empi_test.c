/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user of FlexMPI would lose: a program that is resized as it was, with all data right.
 *
 *     NEREUS_EMPI_SCHEDULE=3:4,8:1 compat_empi_test LAST_SIZE
 *
 * Written as programs of FlexMPI are, with FlexMPI's names alone. An iteration is x = A x in whole numbers modulo
 * 1009, so that any number of processes must get the same.
 */
#include <empi.h>

enum { dim = 37, last = 32, modulus = 1009 };

static int rank, size;

static void expect(int holds, const char *what, int it) {
    if (holds) return;
    fprintf(stderr, "not so on rank %d of %d in iteration %d: %s\n", rank, size, it, what);
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
};

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
    }
    if (status == EMPI_ACTIVE) check(d, disp, count, last);
    free(vcounts);
    free(displs);
    return status;
}

int main(int argc, char *argv[]) {
    int disp, count, type, it = 0;
    struct data d;
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
    if (type == EMPI_NATIVE)
        generate(&d, disp, count);
    else
        EMPI_Get_shared(&it);
    expect(type == EMPI_NATIVE ? it == 0 : it > 0, "newcomers go on in the middle", it);
    const int status = solve(&d, it, argv);
    if (status == EMPI_ACTIVE) expect(size == atoi(argv[1]), "the last size is that of the schedule", last);
    EMPI_Get_exec_time(&seconds);
    expect(seconds >= 0, "a time", it);
    EMPI_free(d.A, "matrix");
    EMPI_free(d.x, "x");
    EMPI_free(d.b, "b");
    EMPI_Deregister_shared("seen");
    free(d.seen);
    MPI_Finalize();
    return 0;
}
