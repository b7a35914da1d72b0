/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat in a plate, cut by rows: ghost rows from the neighbours, and two arrays that are swapped in each step.
 *
 *     mpiexec -n 2 example_07          becomes one process larger, then half as large, after odd numbers of swaps
 *     mpiexec -n 2 example_07 fixed    stays as it is: the checksum is the same, to the last bit
 *     mpiexec -n 2 example_07 often    sleeps a little in each step, and is to become another size again and again
 */
#include <nereus/nereus.h>

#include <stdio.h>
#include <string.h>
#include <threads.h>

enum { rows = 60, columns = 50, last = 400 };
typedef double line[columns];

/* Rows of the neighbours are nobody's data: they are fetched in each step, and not registered. */
static void fetch(nereus_job *job, line *now, line above, line below) {
    const MPI_Comm comm = nereus_comm(job);
    const int64_t n = nereus_count(job, "now");
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int before = rank == 0 ? MPI_PROC_NULL : rank - 1, after = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
    for (int i = 0; i < columns; i++) above[i] = 1, below[i] = 0; /* the plate is heated from above */
    MPI_Sendrecv(now[n - 1], columns, MPI_DOUBLE, after, 0, above, columns, MPI_DOUBLE, before, 0, comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(now[0], columns, MPI_DOUBLE, before, 1, below, columns, MPI_DOUBLE, after, 1, comm, MPI_STATUS_IGNORE);
}

static void sweep(nereus_job *job, line *now, line *next) {
    const int64_t n = nereus_count(job, "now");
    line above, below;
    fetch(job, now, above, below);
    for (int64_t r = 0; r < n; r++)
        for (int c = 0; c < columns; c++)
            next[r][c] = ((r > 0 ? now[r - 1] : above)[c] + (r + 1 < n ? now[r + 1] : below)[c] +
                          (c > 0 ? now[r][c - 1] : 0) + (c + 1 < columns ? now[r][c + 1] : 0)) /
                         4;
}

/* The sum of all bits: no rounding, so that it does not depend on how the rows are cut. */
static void print_checksum(nereus_job *job, line *now) {
    uint64_t bits, mine = 0, sum = 0;
    int rank;
    for (int64_t i = 0; i < nereus_count(job, "now") * columns; i++) {
        memcpy(&bits, &now[i / columns][i % columns], sizeof bits);
        mine += bits;
    }
    MPI_Reduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, nereus_comm(job));
    MPI_Comm_rank(nereus_comm(job), &rank);
    if (rank == 0) printf("checksum %016llx after %d resizes\n", (unsigned long long)sum, (int)nereus_generation(job));
}

/* One process that cannot go on must not leave the loop alone: the others would wait for it for ever. */
static int ok(nereus_job *job, int code) {
    if (code >= 0) return code;
    fprintf(stderr, "%s\n", nereus_message(job));
    return MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The number of processes that is wanted from this step on; 0: no other one. */
static int wanted(const char *how, int64_t step, int size) {
    static const int often[] = {3, 1, 4, 2};
    if (strcmp(how, "often") == 0) return step % 50 == 1 ? often[step / 50 % 4] : 0;
    return strcmp(how, "fixed") == 0 ? 0 : step == 101 ? size + 1 : step == 251 ? size / 2 : 0;
}

static void iterate(nereus_job *job, MPI_Datatype row, const char *how) {
    static line *now, *next; /* the library writes to them until the job is closed */
    int64_t step = 0;
    int rank, size, code = NEREUS_GO_ON;
    ok(job, nereus_array(job, "now", row, rows, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)&now));
    ok(job, nereus_array(job, "next", row, rows, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)&next));
    ok(job, nereus_value(job, "step", MPI_INT64_T, 1, &step));
    while (code != NEREUS_LEAVE && step < last) {
        sweep(job, now, next);
        line *const swapped = now; /* the library follows; nereus_swap(job, "now", "next") does the same */
        now = next, next = swapped;
        step++;
        MPI_Comm_rank(nereus_comm(job), &rank);
        MPI_Comm_size(nereus_comm(job), &size);
        const int ranks = rank == 0 ? wanted(how, step, size) : 0;
        if (ranks > 0 && nereus_resize(job, ranks, NULL, NULL) < 0) fprintf(stderr, "%s\n", nereus_message(job));
        if (strcmp(how, "often") == 0) thrd_sleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        code = ok(job, nereus_checkpoint(job));
    }
    if (code != NEREUS_LEAVE) print_checksum(job, now);
}

int main(int argc, char **argv) {
    nereus_job *job = NULL;
    MPI_Datatype row;
    int code, level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level); /* the program iterates while processes are made */
    MPI_Type_contiguous(columns, MPI_DOUBLE, &row);
    MPI_Type_commit(&row);
    do {
        code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
        if (code == NEREUS_OK) iterate(job, row, argc > 1 ? argv[1] : "");
    } while (job != NULL && nereus_close(&job) == NEREUS_WOKEN);
    MPI_Type_free(&row);
    MPI_Finalize();
    return code < 0;
}
