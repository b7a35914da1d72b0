/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives messages in every way that MPI has, for tests of traces. In each round every rank sends `per_round` messages
 * to each other rank, of sizes that it never uses twice and with two tags; receives take what comes. At the end rank 0
 * prints how many messages all ranks received. Usage: receives [TIMES] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { per_round = 3, most_ranks = 8, most = 2 * per_round * most_ranks, room = 1 << 14 };
static char out[room], in[most][room];
static int rank, ranks, sent, received, awaited;
static MPI_Comm comm;

static void check(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "receives: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int send_all(MPI_Request *requests) {
    int number = 0;
    for (int i = 0; i < per_round; ++i)
        for (int to = 0; to < ranks; ++to)
            if (to != rank) MPI_Isend(out, ++sent, MPI_CHAR, to, (i + to) % 2, comm, &requests[number++]);
    return number;
}

static void post_all(MPI_Request *requests) {
    for (int i = 0; i < awaited; ++i) MPI_Irecv(in[i], room, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[i]);
}

/* Of which the program knows no status. */
static void wait_for_all(void) {
    MPI_Request requests[most];
    post_all(requests);
    MPI_Waitall(awaited, requests, MPI_STATUSES_IGNORE);
}

static void wait_for_each(void) {
    for (int i = 0; i < awaited; ++i) {
        MPI_Request request;
        MPI_Status status;
        MPI_Irecv(in[0], room, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
        MPI_Wait(&request, i % 2 ? &status : MPI_STATUS_IGNORE);
        check(i % 2 == 0 || status.MPI_SOURCE != rank, "a status of nobody");
    }
}

static void receive_each(void) {
    for (int i = 0; i < awaited; ++i)
        MPI_Recv(in[0], room, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
}

/* From each rank in turn: receives are posted in another order than messages come. */
static void wait_for_any(void) {
    MPI_Request requests[most];
    int number = 0;
    for (int i = 0; i < per_round; ++i)
        for (int from = ranks - 1; from >= 0; --from)
            if (from != rank)
                MPI_Irecv(in[number], room, MPI_CHAR, from, (i + rank) % 2, comm, &requests[number]), ++number;
    int index = 0;
    for (int i = 0; i < number; ++i) MPI_Waitany(number, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitany(number, requests, &index, MPI_STATUS_IGNORE);
    check(index == MPI_UNDEFINED, "a request that has ended ended again");
}

static void wait_for_some(void) {
    MPI_Request requests[most];
    int indices[most], number = 0;
    post_all(requests);
    for (int left = awaited; left > 0; left -= number)
        MPI_Waitsome(awaited, requests, &number, indices, MPI_STATUSES_IGNORE);
}

static void test_each(void) {
    for (int i = 0; i < awaited; ++i) {
        MPI_Request request;
        int done = 0;
        MPI_Irecv(in[0], room, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
        while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

static void test_all(void) {
    MPI_Request requests[most];
    int done = 0;
    post_all(requests);
    while (!done) MPI_Testall(awaited, requests, &done, MPI_STATUSES_IGNORE);
}

static void test_any(void) {
    MPI_Request requests[most];
    post_all(requests);
    for (int left = awaited; left > 0;) {
        int index = 0, done = 0;
        MPI_Testany(awaited, requests, &index, &done, MPI_STATUS_IGNORE);
        left -= done;
    }
}

static void test_some(void) {
    MPI_Request requests[most];
    int indices[most], number = 0;
    post_all(requests);
    for (int left = awaited; left > 0; left -= number)
        MPI_Testsome(awaited, requests, &number, indices, MPI_STATUSES_IGNORE);
}

static void receive_what_was_matched(void) {
    for (int i = 0; i < awaited; ++i) {
        MPI_Message message;
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(in[0], room, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    }
}

static void begin_what_was_matched(void) {
    MPI_Request requests[most];
    for (int i = 0; i < awaited; ++i) {
        MPI_Message message;
        int found = 0;
        while (!found) MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(in[i], room, MPI_CHAR, &message, &requests[i]);
    }
    MPI_Waitall(awaited, requests, MPI_STATUSES_IGNORE);
}

static void probe_each(void) {
    for (int i = 0; i < awaited; ++i) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        MPI_Recv(in[0], room, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
    }
}

static void start_again_and_again(void) {
    MPI_Request request;
    MPI_Recv_init(in[0], room, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
    for (int i = 0; i < awaited; ++i) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

/* Receives that end without a message take no number from the others. */
static void cancel_some(void) {
    MPI_Request never, nobody;
    MPI_Irecv(in[0], room, MPI_CHAR, MPI_ANY_SOURCE, 77, comm, &never);
    MPI_Irecv(in[1], room, MPI_CHAR, MPI_PROC_NULL, 0, comm, &nobody);
    MPI_Wait(&nobody, MPI_STATUS_IGNORE);
    receive_each();
    MPI_Cancel(&never);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
}

static void (*const ways[])(void) = {wait_for_all,
                                     wait_for_each,
                                     receive_each,
                                     wait_for_any,
                                     wait_for_some,
                                     test_each,
                                     test_all,
                                     test_any,
                                     test_some,
                                     probe_each,
                                     cancel_some,
                                     receive_what_was_matched,
                                     begin_what_was_matched,
                                     start_again_and_again};

static void one_round(void (*receive)(void)) {
    MPI_Request requests[most];
    const int number = send_all(requests);
    receive();
    MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
    received += awaited;
    MPI_Barrier(comm);
}

/* To oneself where there is one rank. */
static void exchange_around(void) {
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(out, ++sent, MPI_CHAR, next, 5, in[0], room, MPI_CHAR, previous, 5, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(in[0], ++sent, MPI_CHAR, next, 6, previous, 6, comm, MPI_STATUS_IGNORE);
    received += 2;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check(ranks <= most_ranks, "at most 8 ranks");
    awaited = per_round * (ranks - 1);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const unsigned number = sizeof ways / sizeof *ways, times = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    for (unsigned way = 0; way < number * times; ++way) {
        comm = way % 2 ? copy : MPI_COMM_WORLD;
        one_round(ways[way % number]);
        exchange_around();
    }
    int all = 0;
    MPI_Reduce(&received, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d messages\n", all);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
