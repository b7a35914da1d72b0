/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked with --wrap=nereus_checkpoint to a program that asks for no resize itself: the job grows by 2 after its first
 * checkpoints, and shrinks to 1 process after as many more. */
#include <nereus/nereus.h>

enum { checkpoints = 100 };

int __real_nereus_checkpoint(nereus_job *job);
int __wrap_nereus_checkpoint(nereus_job *job);

/* How many checkpoints this process began in the present generation, the one that begins now included. */
static int checkpoints_of(int64_t generation) {
    static int64_t latest = -1;
    static int passed;
    if (generation != latest) passed = 0;
    latest = generation;
    return ++passed;
}

static void ask(nereus_job *job) {
    const int64_t generation = nereus_generation(job);
    const int due = checkpoints_of(generation) == checkpoints && generation < 2;
    int rank, size;
    MPI_Comm_rank(nereus_comm(job), &rank);
    MPI_Comm_size(nereus_comm(job), &size);
    if (rank == 0 && due) nereus_resize(job, generation == 0 ? size + 2 : 1, NULL, NULL);
}

int __wrap_nereus_checkpoint(nereus_job *job) {
    ask(job);
    return __real_nereus_checkpoint(job);
}
