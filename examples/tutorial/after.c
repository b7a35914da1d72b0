/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates pi by random points. Each step draws one point from each of many streams of random numbers. */
#include <mpi.h>
#include <nereus/nereus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const int64_t streams = 1000000;
static nereus_job *job;
static int ok(int code) { return code < 0 ? (fputs(nereus_message(job), stderr), MPI_Abort(MPI_COMM_WORLD, 1)) : code; }

/* Streams are cut into blocks in rank order; the first (streams mod size) ranks have one more. */
static int64_t first_of(MPI_Comm comm) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    return streams / size * rank + (rank < streams % size ? rank : streams % size);
}

static int64_t count_of(MPI_Comm comm) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    return streams / size + (rank < streams % size);
}

/* Draws the next point of a stream; 1 if it is in the quarter circle. Each stream has an increment of its own. */
static int hit(uint64_t *state, int64_t stream) {
    *state = *state * 6364136223846793005U + 2 * (uint64_t)stream + 1;
    uint64_t bits = (*state ^ *state >> 30) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBU;
    const uint64_t x = bits >> 33, y = (bits ^ bits >> 31) & INT32_MAX;
    return x * x + y * y < (uint64_t)1 << 62;
}

/* Draws a point from each stream of this process; how many points of all processes are hits. */
static int64_t draw(MPI_Comm comm, uint64_t *states) {
    const int64_t first = first_of(comm), count = count_of(comm);
    int64_t mine = 0, all;
    for (int64_t i = 0; i < count; i++) mine += hit(&states[i], first + i);
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, comm);
    return all;
}

/* Rank 0 says how far it is. */
static void tell(MPI_Comm comm, int64_t step, int64_t hits) {
    const double pi = 4.0 * (double)hits / (double)(step * streams);
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0) printf("step %d, %d processes: %lld hits, pi is about %.6f\n", (int)step, size, (long long)hits, pi);
    fflush(stdout);
}

static void estimate(MPI_Comm comm, int64_t steps) {
    int64_t step = 0, hits = 0;
    uint64_t *states;
    ok(nereus_array(job, "states", MPI_UINT64_T, streams, NEREUS_BLOCK, NEREUS_VARIABLE, (void **)&states));
    ok(nereus_value(job, "step", MPI_INT64_T, 1, &step));
    ok(nereus_value(job, "hits", MPI_INT64_T, 1, &hits));
    while (step < steps) {
        hits += draw(comm, states);
        step++;
        if (step % 500 == 0 || step == steps) tell(comm, step, hits);
        if (ok(nereus_checkpoint(job)) == NEREUS_LEAVE) return;
        comm = nereus_comm(job);
    }
}

int main(int argc, char **argv) {
    const int64_t steps = argc > 1 ? atoll(argv[1]) : 5000;
    MPI_Init(&argc, &argv);
    do {
        if (nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK) estimate(nereus_comm(job), steps);
    } while (nereus_close(&job) == NEREUS_WOKEN);
    MPI_Finalize();
    return 0;
}
