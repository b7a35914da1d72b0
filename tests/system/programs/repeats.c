/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose calls repeat, or do not. Usage: repeats HOW [FILE]
 *
 *     loop     200 iterations of an exchange in a ring, a broadcast and a sum, that are polled for in between
 *     files    40 iterations of a sum, after each tenth of which all write FILE
 *     random   calls in no order
 *     fails    as loop, but rank 0 ends with exit code 3 before MPI_Finalize
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void compute(int rounds) {
    volatile double x = 1;
    for (int i = 0; i < rounds; i++) x = x * 0.5 + 1;
}

static void ring(void) {
    char in[1000], out[1000] = {0};
    MPI_Request requests[2];
    int is_done = 0;
    MPI_Irecv(in, sizeof in, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, sizeof out, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
    while (!is_done) MPI_Testall(2, requests, &is_done, MPI_STATUSES_IGNORE);
}

static void sum(void) {
    double own = rank, all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void loop(int iterations) {
    int value = 1;
    for (int i = 0; i < iterations; i++) {
        compute(100000);
        ring();
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        sum();
    }
}

static void write_file(const char *name) {
    char block[500] = {0};
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof block, block, sizeof block, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void files(const char *name) {
    for (int i = 1; i <= 40; i++) {
        compute(200000);
        sum();
        if (i % 10 == 0) write_file(name);
    }
}

static void random_calls(void) {
    unsigned seed = 1;
    char block[64] = {0};
    for (int i = 0; i < 500; i++) {
        seed = seed * 1103515245U + 12345U;
        const int what = (int)(seed >> 16U) % 5;
        if (what == 0) MPI_Barrier(MPI_COMM_WORLD);
        if (what == 1) sum();
        if (what >= 2) MPI_Bcast(block, 1 << what, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "loop";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(how, "random") == 0)
        random_calls();
    else if (strcmp(how, "files") == 0)
        files(argv[2]);
    else
        loop(200);
    if (strcmp(how, "fails") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 0) printf("done\n");
    return MPI_Finalize();
}
