/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reader of Martín et al. 2019 would lose: a program with the calls of its Algorithm 2, in that order.
 *
 *     NEREUS_EMPI_SCHEDULE=3:4,8:1 compat_empi_paper_test
 */
#include <empi.h>

#include "base/flush_stderr.h"

enum { elements = 41, itmax = 20 };

static void initialize(long *A, int displ, int count) {
    for (int i = 0; i < count; i++) A[i] = displ + i;
}

/* Every element is i + (what all of them were in the iterations before, modulo a prime). */
static long sum_after(int iterations) {
    long sum = 0;
    for (int it = 0; it < iterations; it++) {
        long all = 0;
        for (int i = 0; i < elements; i++) all += i + sum;
        sum = all % 9973;
    }
    return sum;
}

static void fail(const char *what, int it) {
    fprintf(stderr, "not so in iteration %d: %s\n", it, what);
    flush_stderr_to_reader();
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char *argv[]) {
    int rank, size, displ, count, type, first = 0, status = EMPI_ACTIVE;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(EMPI_COMM_WORLD, &rank);
    MPI_Comm_size(EMPI_COMM_WORLD, &size);
    EMPI_Get_wsize(rank, size, elements, &displ, &count, NULL, NULL);
    long *A = malloc((size_t)(count > 0 ? count : 1) * sizeof *A);
    EMPI_Register("A", A, MPI_LONG, elements, EMPI_DISJOINT);
    EMPI_Get_type(&type);
    if (type == EMPI_SPAWNED)
        EMPI_Get_shared_data(&first);
    else
        initialize(A, displ, count);
    long last = sum_after(first);
    for (int it = first; it < itmax; it++) {
        A = EMPI_Get_addr("A");
        EMPI_Monitor_init();
        long own = 0;
        for (int i = 0; i < count; i++) {
            if (A[i] - last != displ + i) fail("an element of its own", it);
            own += A[i];
        }
        long all;
        MPI_Allreduce(&own, &all, 1, MPI_LONG, MPI_SUM, EMPI_COMM_WORLD);
        for (int i = 0; i < count; i++) A[i] += all % 9973 - last;
        last = all % 9973;
        if (last != sum_after(it + 1)) fail("the sum of all", it);
        EMPI_Monitor_end(&rank, &size, it, itmax, &count, &displ, NULL, NULL, NULL, argv + 1, argv[0]);
        int same;
        status = EMPI_Get_status(&same);
        if (status != same || EMPI_Get_status(NULL) != same) fail("the status that is returned", it);
        if (status == EMPI_REMOVED) break;
    }
    if (status == EMPI_ACTIVE && size != 3) fail("the last size is that of the schedule", itmax);
    MPI_Finalize();
    return 0;
}
