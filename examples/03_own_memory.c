/* SPDX-License-Identifier: BSD-3-Clause */
/* An application that keeps its data in memory of its own, here pages of 4 KiB that it counts.
 *
 *     mpiexec -n 3 example_03      one process is made, then it leaves again
 */
#include <nereus/nereus.h>

#include <stdio.h>
#include <stdlib.h>

enum { elements = 100000, last = 6, page = 4096 };

struct account {
    long taken, given_back;
};

static void *take(size_t bytes, void *context) {
    struct account *account = context;
    account->taken++;
    return aligned_alloc(page, (bytes / page + 1) * page); /* never 0 bytes: NULL would mean that there are none */
}

static void give_back(void *memory, void *context) {
    struct account *account = context;
    if (memory == NULL) return;
    account->given_back++;
    free(memory);
}

/* A founder's part, before it is registered: blocks in rank order, the first ones have one element more. */
static int *own_part(nereus_job *job, const nereus_memory *memory) {
    int rank, size;
    MPI_Comm_rank(nereus_comm(job), &rank);
    MPI_Comm_size(nereus_comm(job), &size);
    const int extra = elements % size, count = elements / size + (rank < extra);
    const int first = elements / size * rank + (rank < extra ? rank : extra);
    int *part = memory->allocate((size_t)count * sizeof *part, memory->context);
    for (int i = 0; part != NULL && i < count; i++) part[i] = first + i;
    return part;
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

/* @param x  gets this process' part, which is its own again after nereus_close()
 * @return whether this process is rank 0 at the end */
static int iterate(nereus_job *job, const nereus_memory *memory, int **x) {
    int64_t step = 0, wrong = 0, all = 0;
    int rank, size;
    *x = nereus_generation(job) == 0 ? own_part(job, memory) : NULL; /* NULL: newcomers get theirs */
    ok(job, nereus_array_of(job, "x", MPI_INT, elements, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)x, memory));
    ok(job, nereus_value(job, "step", MPI_INT64_T, 1, &step));
    MPI_Comm_rank(nereus_comm(job), &rank);
    while (step < last) {
        MPI_Comm_size(nereus_comm(job), &size);
        if (rank == 0 && step == 0) ask(job, size + 1);
        if (rank == 0 && step == 3) ask(job, size - 1);
        step++;
        if (ok(job, nereus_checkpoint(job)) == NEREUS_LEAVE) return 0;
    }
    for (int64_t i = 0; i < nereus_count(job, "x"); i++) wrong += (*x)[i] != nereus_first(job, "x") + i;
    MPI_Reduce(&wrong, &all, 1, MPI_INT64_T, MPI_SUM, 0, nereus_comm(job));
    if (rank == 0) printf("%d of %d elements are wrong, ", (int)all, elements);
    return rank == 0;
}

int main(int argc, char **argv) {
    struct account account = {0, 0};
    const nereus_memory memory = {take, give_back, &account};
    nereus_job *job = NULL;
    int *x, code, last_root, again;
    MPI_Init(&argc, &argv);
    do {
        x = NULL;
        code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
        last_root = code == NEREUS_OK && iterate(job, &memory, &x);
        again = job != NULL && nereus_close(&job) == NEREUS_WOKEN;
        give_back(x, &account);
    } while (again);
    if (last_root) printf("%ld buffers were not given back\n", account.taken - account.given_back);
    MPI_Finalize();
    return code < 0;
}
