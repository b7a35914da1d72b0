/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix that was read in rows is dealt out in blocks, as ScaLAPACK wants it, and comes back in rows on rank 0 alone.
 *
 *     mpiexec -n 4 example_08
 */
#include <nereus/nereus.h>

#include <stdio.h>
#include <stdlib.h>

enum { rows = 600, columns = 400, elements = rows * columns };

static double *room_for(const nereus_distributed *matrix, int rank, int64_t *count) {
    *count = 0;
    if (rank >= matrix->processes) return NULL;
    *count = nereus_distributed_count(matrix->distribution, elements, matrix->processes, rank);
    return malloc((size_t)*count * sizeof(double) + 1);
}

static void fill(double *part, int64_t count, const nereus_distributed *matrix, int rank) {
    for (int64_t element = 0; element < elements && count > 0; element++) {
        int owner = -1;
        const int64_t at =
            nereus_distributed_locate(matrix->distribution, elements, matrix->processes, element, &owner);
        if (owner == rank) part[at] = (double)element;
    }
}

static int64_t wrong(const double *part, int64_t count) {
    int64_t all = 0;
    for (int64_t i = 0; i < count; i++) all += part[i] != 2 * (double)i;
    return all;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    const nereus_distribution in_rows = {.layout = NEREUS_BLOCK};
    const nereus_distribution in_blocks = {
        .layout = NEREUS_GRID, .rows = rows, .columns = columns, .block_rows = 64, .block_columns = 32};
    const nereus_distributed read = {&in_rows, ranks, NULL}, computed = {&in_blocks, ranks, NULL},
                             written = {&in_rows, 1, NULL};
    int64_t count = 0, count_of_blocks = 0, count_of_all = 0;
    double *part = room_for(&read, rank, &count), *blocks = room_for(&computed, rank, &count_of_blocks),
           *all = room_for(&written, rank, &count_of_all);
    fill(part, count, &read, rank);

    nereus_redistribute(MPI_COMM_WORLD, MPI_DOUBLE, elements, &read, part, &computed, blocks);
    for (int64_t i = 0; i < count_of_blocks; i++) blocks[i] *= 2; /* or what ScaLAPACK does with them */
    nereus_redistribute(MPI_COMM_WORLD, MPI_DOUBLE, elements, &computed, blocks, &written, all);

    if (rank == 0)
        printf("%lld of %d elements are wrong after 2 redistributions\n", (long long)wrong(all, count_of_all),
               (int)elements);
    free(part);
    free(blocks);
    free(all);
    MPI_Finalize();
    return 0;
}
