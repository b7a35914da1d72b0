// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into the ranks of Open MPI, which has no wait that sleeps: on a shared core those who wait long take naps.
//
// Between two looks a waiting rank of Open MPI calls sched_yield(), where mpi_yield_when_idle is set. Linux takes each
// call for a slice of time used up (EEVDF, from 6.6 on), so that a rank that waited alone on its core is let wait for
// tens of milliseconds once a newcomer wants that core. Here a rank that has its core for itself spins, as without that
// setting: whether it has is seen from how often it was made to give way. Others sleep in the later part of a wait.
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { microsecond = 1000, millisecond = 1000 * microsecond };

static const int64_t same_wait = 10 * microsecond; // at most, between two calls of one wait
static const int64_t patience = 200 * microsecond; // first part of a wait
static const int64_t look_every = 50 * microsecond;
static const int64_t between_preemptions = 8 * millisecond; // at most, in the mean of two or more, on a shared core
static const int64_t window = 16 * millisecond;
static const int64_t shared_for = 100 * millisecond; // after the last sign of it
static const struct timespec nap = {0, 20 * microsecond};

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static long preemptions(void) {
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

static bool core_is_shared(int64_t now) {
    static _Thread_local int64_t looked = 0, window_began = 0, shared_until = 0;
    static _Thread_local long at_begin = 0;
    if (now - looked < look_every) return now < shared_until;
    looked = now;
    const long all = preemptions(), fresh = all - at_begin;
    const int64_t since = now - window_began;
    const bool often = window_began != 0 && fresh > 1 && since <= fresh * between_preemptions;
    if (often) shared_until = now + shared_for;
    if (often || since > window) {
        window_began = now;
        at_begin = all;
    }
    return now < shared_until;
}

// No cancellation point, and errno as it was: both as in the function that this one replaces.
static void sleep_a_little(void) {
    const int before = errno;
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, NULL);
    errno = before;
}

__attribute__((visibility("default"))) int sched_yield(void) {
    static _Thread_local int64_t began = 0, latest = 0;
    const int64_t now = nanoseconds();
    if (now - latest > same_wait) began = now;
    latest = now;
    if (!core_is_shared(now) || now - began < patience) return 0;
    sleep_a_little();
    latest = nanoseconds();
    return 0;
}
