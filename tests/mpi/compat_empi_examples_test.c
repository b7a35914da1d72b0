/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user of FlexMPI would lose: programs with the calls of its published examples, in their order, that are
 * resized and compute and write what they would have without.
 *
 *     NEREUS_EMPI_SCHEDULE=3:4,8:1 compat_empi_examples_test jacobi|io|gradient FILE
 */
#include <empi.h>

#include "base/flush_stderr.h"

enum { dim = 41, last = 30, write_every = 5 };

static int rank, size, disp, count, *vcounts, *displs;
static const char *results;

static void expect(int holds, const char *what, int it) {
    if (holds) return;
    fprintf(stderr, "not so on rank %d of %d in iteration %d: %s\n", rank, size, it, what);
    flush_stderr_to_reader();
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *room_for(int elements, size_t bytes) { return calloc((size_t)(elements > 0 ? elements : 1), bytes); }

/* Own rows of a vector of which this process has `rows`, into the file, as the examples write. */
static void write_rows(const double *rows) {
    MPI_File file;
    if (rank == 0) MPI_File_delete(results, MPI_INFO_NULL);
    MPI_Barrier(EMPI_COMM_WORLD);
    expect(MPI_File_open(EMPI_COMM_WORLD, results, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) ==
               MPI_SUCCESS,
           "the file opens", -1);
    MPI_File_set_view(file, disp * (MPI_Offset)sizeof *rows, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, rows, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void check_file(const double *wanted) {
    double found[dim + 1];
    FILE *file = fopen(results, "rb");
    expect(file != NULL && fread(found, sizeof *found, dim + 1, file) == dim, "the file has all rows", last);
    fclose(file);
    expect(memcmp(found, wanted, sizeof *found * dim) == 0, "the file has what was computed", last);
}

/* The control point; @return whether this process goes on. */
static int monitor_end(int it, char *argv[]) {
    int status;
    EMPI_Monitor_end(&rank, &size, it, last, &count, &disp, &vcounts, &displs, NULL, argv + 1, argv[0]);
    EMPI_Get_status(&status);
    return status != EMPI_REMOVED;
}

/* --- Jacobi with I/O ---------------------------------------------------------------------------------------- */

static double jacobi_element(int row, int column) { return row == column ? 2.0 * dim : 1.0 / (1 + row + column); }

static double jacobi_row(const double *A, const double *x, double b, int row) {
    double sum = b;
    for (int m = 0; m < dim; m++)
        if (m != row) sum -= A[m] * x[m];
    return sum / A[row];
}

static void jacobi_alone(double *x, int iterations) {
    double A[dim], next[dim];
    for (int m = 0; m < dim; m++) x[m] = 0;
    for (int it = 0; it < iterations; it++) {
        for (int n = 0; n < dim; n++) {
            for (int m = 0; m < dim; m++) A[m] = jacobi_element(n, m);
            next[n] = jacobi_row(A, x, n + 1.0, n);
        }
        memcpy(x, next, sizeof next);
    }
}

static int jacobi(int type, char *argv[]) {
    double *A = EMPI_calloc((size_t)(count * dim + 1), sizeof *A), *b = room_for(count, sizeof *b);
    double *x = room_for(dim, sizeof *x), alone[dim];
    int it = 0, goes_on = 1;
    EMPI_Register_dense("matrix", A, MPI_DOUBLE, dim, EMPI_DISJOINT);
    EMPI_Register_vector("x", x, MPI_DOUBLE, dim, EMPI_SHARED);
    EMPI_Register_vector("b", b, MPI_DOUBLE, dim, EMPI_DISJOINT);
    if (type == EMPI_NATIVE) {
        for (int n = 0; n < count; n++)
            for (int m = 0; m < dim; m++) A[n * dim + m] = jacobi_element(disp + n, m);
        for (int n = 0; n < count; n++) b[n] = disp + n + 1.0;
    } else
        EMPI_Get_shared(&it);
    for (; goes_on && it < last; it++) {
        double *own = room_for(count, sizeof *own);
        EMPI_Monitor_init();
        for (int n = 0; n < count; n++) own[n] = jacobi_row(A + n * dim, x, b[n], disp + n);
        MPI_Allgatherv(own, count, MPI_DOUBLE, x, vcounts, displs, MPI_DOUBLE, EMPI_COMM_WORLD);
        free(own);
        if ((it + 1) % write_every == 0) write_rows(x + disp);
        goes_on = monitor_end(it, argv);
        A = EMPI_Get_addr("matrix");
        x = EMPI_Get_addr("x");
        b = EMPI_Get_addr("b");
    }
    jacobi_alone(alone, last);
    if (goes_on) expect(memcmp(alone, x, sizeof alone) == 0, "as one process computes it", last);
    if (goes_on && rank == 0) check_file(alone);
    EMPI_free(A, "matrix");
    EMPI_free(x, "x");
    EMPI_free(b, "b");
    return goes_on;
}

/* --- a loop of I/O ------------------------------------------------------------------------------------------ */

static int io(int type, char *argv[]) {
    double *rows = room_for(count, sizeof *rows), wanted[dim];
    int it = 0, goes_on = 1;
    EMPI_Register_vector("rows", rows, MPI_DOUBLE, dim, EMPI_DISJOINT);
    if (type == EMPI_NATIVE)
        for (int n = 0; n < count; n++) rows[n] = disp + n;
    else
        EMPI_Get_shared(&it);
    for (; goes_on && it < last; it++) {
        EMPI_Monitor_init();
        for (int n = 0; n < count; n++) rows[n] += 0.5;
        if ((it + 1) % write_every == 0) write_rows(rows);
        goes_on = monitor_end(it, argv);
        rows = EMPI_Get_addr("rows");
    }
    for (int n = 0; n < dim; n++) wanted[n] = n + 0.5 * last;
    if (goes_on && rank == 0) check_file(wanted);
    EMPI_free(rows, "rows");
    return goes_on;
}

/* --- conjugate gradient ------------------------------------------------------------------------------------- */

static double sum_of(const double *a, const double *b) {
    double own = 0, sum = 0;
    for (int n = 0; n < count; n++) own += a[n] * b[n];
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, EMPI_COMM_WORLD);
    return sum;
}

/* 4 in the diagonal, -1 beside it. */
static void make_matrix(int **row, int **col, double **val) {
    int nonzeros = 0;
    *row = room_for(count + 1, sizeof **row);
    *col = room_for(3 * count, sizeof **col);
    *val = room_for(3 * count, sizeof **val);
    for (int n = 0; n < count; n++) {
        for (int m = disp + n - 1; m <= disp + n + 1; m++)
            if (m >= 0 && m < dim) {
                (*col)[nonzeros] = m;
                (*val)[nonzeros++] = m == disp + n ? 4 : -1;
            }
        (*row)[n + 1] = nonzeros;
    }
}

static void gradient_step(const int *row, const int *col, const double *val, double *p, double *x, double *r) {
    double *q = room_for(count, sizeof *q), *own = room_for(count, sizeof *own);
    const double rho = sum_of(r, r);
    for (int n = 0; n < count; n++)
        for (int k = row[n]; k < row[n + 1]; k++) q[n] += val[k] * p[col[k]];
    const double energy = sum_of(p + disp, q), alpha = energy > 1e-200 ? rho / energy : 0;
    for (int n = 0; n < count; n++) {
        x[n] += alpha * p[disp + n];
        r[n] -= alpha * q[n];
    }
    const double after = sum_of(r, r), beta = rho > 1e-200 ? after / rho : 0;
    for (int n = 0; n < count; n++) own[n] = r[n] + beta * p[disp + n];
    MPI_Allgatherv(own, count, MPI_DOUBLE, p, vcounts, displs, MPI_DOUBLE, EMPI_COMM_WORLD);
    free(q);
    free(own);
}

/* The right side is that of the solution 1 .. dim. */
static void begin_gradient(double *p, double *r) {
    for (int n = 0; n < dim; n++) p[n] = 4.0 * (n + 1) - n - (n + 1 < dim ? n + 2 : 0);
    for (int n = 0; n < count; n++) r[n] = p[disp + n];
}

static int gradient(int type, char *argv[]) {
    double *p = room_for(dim, sizeof *p), *x = room_for(count, sizeof *x), *r = room_for(count, sizeof *r);
    double *val = NULL;
    int *row = NULL, *col = NULL, it = 0, goes_on = 1;
    if (type == EMPI_NATIVE) {
        make_matrix(&row, &col, &val);
        begin_gradient(p, r);
    }
    EMPI_Register_sparse("A", row, col, val, MPI_DOUBLE, dim, 3 * dim);
    EMPI_Register_vector("p", p, MPI_DOUBLE, dim, EMPI_SHARED);
    EMPI_Register_vector("x", x, MPI_DOUBLE, dim, EMPI_DISJOINT);
    EMPI_Register_vector("r", r, MPI_DOUBLE, dim, EMPI_DISJOINT);
    if (type != EMPI_NATIVE) EMPI_Get_shared(&it);
    while (goes_on && it < last) {
        void *rows, *columns, *values;
        EMPI_Get_addr_sparse("A", &rows, &columns, &values);
        EMPI_Monitor_init();
        gradient_step(rows, columns, values, p, x, r);
        goes_on = monitor_end(it++, argv);
        p = EMPI_Get_addr("p");
        x = EMPI_Get_addr("x");
        r = EMPI_Get_addr("r");
    }
    for (int n = 0; goes_on && n < count; n++) expect(fabs(x[n] - (disp + n + 1)) < 1e-9, "the solution", last);
    EMPI_free(NULL, "A");
    EMPI_free(p, "p");
    EMPI_free(x, "x");
    EMPI_free(r, "r");
    return goes_on;
}

int main(int argc, char *argv[]) {
    static const struct {
        const char *name;
        int (*run)(int type, char *argv[]);
    } examples[] = {{"jacobi", jacobi}, {"io", io}, {"gradient", gradient}};
    int type, goes_on = 0, found = 0;
    double tcomm, tcomp;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(EMPI_COMM_WORLD, &rank);
    MPI_Comm_size(EMPI_COMM_WORLD, &size);
    results = argv[2];
    vcounts = malloc((size_t)size * sizeof *vcounts);
    displs = malloc((size_t)size * sizeof *displs);
    EMPI_Get_wsize(rank, size, dim, &disp, &count, vcounts, displs);
    EMPI_Get_type(&type);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (strcmp(argv[1], examples[i].name) == 0) {
            goes_on = examples[i].run(type, argv);
            found = 1;
        }
    expect(found, "jacobi, io or gradient", 0);
    EMPI_Get_aggregated_tcomm(&tcomm);
    EMPI_Get_aggregated_tcomp(&tcomp);
    if (goes_on && rank == 0) {
        printf("resizes took %g s, of it processes %g s and data %g s\n", EMPI_GLOBAL_tover,
               EMPI_GLOBAL_overhead_processes, EMPI_GLOBAL_overhead_rdata);
        remove(results);
        puts(size == atoi(argv[3]) ? "ends as it should" : "has another size than it should");
    }
    MPI_Finalize();
    /* As the examples end on processes that have left. */
    if (!goes_on) exit(1);
    return 0;
}
