/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process says before it has its MPI end the job: that ends launchers too, with what they have not read.
 * In C, so that test programs of every kind can use it. */
#pragma once

#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether all that was written to a pipe was read within the limit; of anything else nothing is waited for. */
static inline int nereus_is_drained(int file, int limit_milliseconds) {
    struct stat about;
    int unread = 0;
    if (fstat(file, &about) != 0 || !S_ISFIFO(about.st_mode)) return 1;
    for (int passed = 0; ioctl(file, FIONREAD, &unread) == 0 && unread > 0; ++passed) {
        if (passed >= limit_milliseconds) return 0;
        poll(NULL, 0, 1);
    }
    return 1;
}

/* To be called before MPI_Abort: the launcher has our last line then, or had a second for it. */
static inline void flush_stderr_to_reader(void) {
    fflush(stderr);
    nereus_is_drained(STDERR_FILENO, 1000);
}
