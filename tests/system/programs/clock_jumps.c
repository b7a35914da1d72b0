// SPDX-License-Identifier: BSD-3-Clause
// Preloaded: the time of day is what it is, and so many seconds more as stand in the file $NEREUS_TEST_CLOCK_FILE, a
// 64-bit integer that may change at any moment, as when somebody sets the clock. Other clocks are as they are.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *ahead;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("NEREUS_TEST_CLOCK_FILE");
    const int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *place = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    if (place != MAP_FAILED) ahead = place;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    const int code = (int)syscall(SYS_clock_gettime, clock, now);
    if (code == 0 && ahead != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += *ahead;
    return code;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    const int code = (int)syscall(SYS_gettimeofday, now, zone);
    if (code == 0 && ahead != NULL) now->tv_sec += *ahead;
    return code;
}

time_t time(time_t *here) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (here != NULL) *here = now.tv_sec;
    return now.tv_sec;
}
