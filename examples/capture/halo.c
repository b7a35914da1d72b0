/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat in a plate that is cut both ways: each process sends its borders to four neighbours, without waiting. Plain MPI.
 *
 *     mpiexec -n 4 halo [SIDE [STEPS [unbalanced]]]
 *
 * A tile has SIDE x SIDE points; where it is unbalanced, the first half of the processes does its work twice.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { up, down, left, right, sides };

typedef struct {
    int n, neighbours[sides];
    double *old, *new, *sent[2], *received[2]; /* columns, which do not lie in one piece */
    MPI_Comm comm;
} Tile;

static double *row(Tile *t, int i) { return t->old + (size_t)i * (size_t)(t->n + 2); }

static void exchange(Tile *t) {
    const int n = t->n;
    MPI_Request requests[2 * sides];
    double *in[sides] = {row(t, 0) + 1, row(t, n + 1) + 1, t->received[0], t->received[1]};
    double *out[sides] = {row(t, 1) + 1, row(t, n) + 1, t->sent[0], t->sent[1]};
    for (int i = 1; i <= n; i++) t->sent[0][i - 1] = row(t, i)[1], t->sent[1][i - 1] = row(t, i)[n];
    for (int s = 0; s < sides; s++) MPI_Irecv(in[s], n, MPI_DOUBLE, t->neighbours[s], s ^ 1, t->comm, &requests[s]);
    for (int s = 0; s < sides; s++)
        MPI_Isend(out[s], n, MPI_DOUBLE, t->neighbours[s], s, t->comm, &requests[sides + s]);
    MPI_Waitall(2 * sides, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= n; i++) row(t, i)[0] = t->received[0][i - 1], row(t, i)[n + 1] = t->received[1][i - 1];
}

static void sweep(Tile *t) {
    const size_t width = (size_t)t->n + 2;
    for (int i = 1; i <= t->n; i++) {
        const double *u = row(t, i);
        double *v = t->new + (size_t)i * width;
        for (size_t j = 1; j + 1 < width; j++) v[j] = (u[j - 1] + u[j + 1] + u[j - width] + u[j + width]) / 4;
    }
}

static double inner_sum(Tile *t) {
    double sum = 0;
    for (int i = 1; i <= t->n; i++)
        for (int j = 1; j <= t->n; j++) sum += row(t, i)[j];
    return sum;
}

int main(int argc, char **argv) {
    int size, rank, grid[2] = {0, 0}, rings[2] = {1, 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Tile t = {.n = argc > 1 ? atoi(argv[1]) : 500};
    const int steps = argc > 2 ? atoi(argv[2]) : 200, is_unbalanced = argc > 3 && strcmp(argv[3], "unbalanced") == 0;
    MPI_Dims_create(size, 2, grid);
    MPI_Cart_create(MPI_COMM_WORLD, 2, grid, rings, 0, &t.comm);
    MPI_Cart_shift(t.comm, 0, 1, &t.neighbours[up], &t.neighbours[down]);
    MPI_Cart_shift(t.comm, 1, 1, &t.neighbours[left], &t.neighbours[right]);
    MPI_Comm_rank(t.comm, &rank);
    const size_t n = (size_t)t.n, points = (n + 2) * (n + 2);
    double *memory = calloc(2 * points + 4 * n, sizeof *memory);
    t.old = memory, t.new = memory + points;
    for (size_t k = 0; k < 2; k++) t.sent[k] = memory + 2 * points + k * n, t.received[k] = t.sent[k] + 2 * n;
    for (int i = 1; i <= t.n; i++) row(&t, i)[1 + (i * 7 + rank) % t.n] = 1;
    const double began = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        exchange(&t);
        for (int times = is_unbalanced && rank < size / 2 ? 2 : 1; times > 0; times--) sweep(&t);
        double *const swapped = t.old;
        t.old = t.new, t.new = swapped;
    }
    double seconds = MPI_Wtime() - began, sum = inner_sum(&t), all;
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, t.comm);
    if (rank == 0) printf("sum %.6f after %d steps, seconds: %.6f\n", all, steps, seconds);
    free(memory);
    return MPI_Finalize();
}
