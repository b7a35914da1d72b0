/* SPDX-License-Identifier: BSD-3-Clause */
/* What makes it hard to say which receive got which message, for tests of traces. Two ranks; rank 0 prints how many
 * messages have an arrow in a right trace, and how many ends of messages have none. Usage: hard_receives WAY, where WAY
 * is threads, matched, late, off, errors, persistent or copies. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { threads = 4, each = 1000, persistent = 20, starts = 50 };
static char out[256], in[256];
static int rank;
static MPI_Comm copies[threads];

static void expect(int arrows, int ends) {
    if (rank == 0) printf("%d %d\n", arrows, ends);
}

/* MPI gives a thread the handle of a request that another one has just waited for. */
static void *talk(void *argument) {
    const int number = *(int *)argument;
    char own[64];
    for (int i = 0; i < each; ++i) {
        MPI_Request request;
        if (rank == 0)
            MPI_Isend(own, 1 + number, MPI_CHAR, 1, number, copies[number], &request);
        else
            MPI_Irecv(own, sizeof own, MPI_CHAR, 0, number, copies[number], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void in_threads(void) {
    pthread_t running[threads];
    int numbers[threads];
    for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &copies[i]);
    for (int i = 0; i < threads; ++i) {
        numbers[i] = i;
        pthread_create(&running[i], NULL, talk, &numbers[i]);
    }
    for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
    expect(threads * each, 0);
}

/* The first message is matched first, and received last. */
static void in_another_order(void) {
    if (rank == 0) {
        MPI_Send(out, 5, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
        MPI_Send(out, 7, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
    } else {
        MPI_Message messages[2];
        for (int i = 0; i < 2; ++i) MPI_Mprobe(0, 9, MPI_COMM_WORLD, &messages[i], MPI_STATUS_IGNORE);
        for (int i = 1; i >= 0; --i) MPI_Mrecv(in, sizeof in, MPI_CHAR, &messages[i], MPI_STATUS_IGNORE);
    }
    expect(2, 0);
}

static void exchange(void) {
    MPI_Request requests[2];
    MPI_Irecv(in, sizeof in, MPI_CHAR, 1 - rank, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 4, MPI_CHAR, 1 - rank, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* When what belongs to the thread is gone. */
static void exchange_and_end(void) {
    for (int i = 0; i < 10; ++i) exchange();
    MPI_Finalize();
}

/* Rank 0 sends twice; rank 1 receives the first message, and rank 0 sends the second one, while nothing is recorded. */
static void while_it_is_off(void) {
    if (rank == 0) {
        MPI_Send(out, 5, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Pcontrol(0);
        MPI_Send(out, 5, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Pcontrol(1);
    } else {
        MPI_Pcontrol(0);
        MPI_Recv(in, 5, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Pcontrol(1);
        MPI_Recv(in, 5, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    expect(0, 2);
}

/* A receive that fails is none; the handle of its request comes again for what rank 1 sends. */
static void with_errors(void) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Send(out, 50, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        for (int i = 0; i < 5; ++i) MPI_Recv(in, sizeof in, MPI_CHAR, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Request request;
        MPI_Irecv(in, 5, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < 5; ++i) {
            MPI_Issend(out, 8, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    expect(5, 1);
}

/* Messages of persistent requests are often received before the call returns that starts them all. */
static void start_many(void) {
    MPI_Request requests[persistent];
    if (rank == 0)
        for (int i = 0; i < persistent; ++i) MPI_Send_init(out, 1 + i, MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
    for (int start = 0; start < starts; ++start) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Startall(persistent, requests);
            MPI_Waitall(persistent, requests, MPI_STATUSES_IGNORE);
        } else {
            for (int i = 0; i < persistent; ++i)
                MPI_Recv(in, sizeof in, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    if (rank == 0)
        for (int i = 0; i < persistent; ++i) MPI_Request_free(&requests[i]);
    expect(persistent * starts, 0);
}

/* Two communicators of the same members, which the ranks use in another order than they were made in. */
static void over_copies(void) {
    for (int i = 0; i < 2; ++i) {
        MPI_Request request;
        MPI_Comm_idup(MPI_COMM_WORLD, &copies[i], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; ++i) {
        const int now = rank == 0 ? i : 1 - i;
        if (rank == 0)
            MPI_Send(out, 5 + now, MPI_CHAR, 1, 1, copies[now]);
        else
            MPI_Recv(in, sizeof in, MPI_CHAR, 0, 1, copies[now], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; ++i) MPI_Barrier(copies[i]);
    expect(2, 0);
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(way, "threads") == 0) in_threads();
    if (strcmp(way, "matched") == 0) in_another_order();
    if (strcmp(way, "off") == 0) while_it_is_off();
    if (strcmp(way, "errors") == 0) with_errors();
    if (strcmp(way, "persistent") == 0) start_many();
    if (strcmp(way, "copies") == 0) over_copies();
    if (strcmp(way, "late") == 0) {
        exchange();
        expect(22, 0);
        return atexit(exchange_and_end);
    }
    MPI_Finalize();
    return 0;
}
