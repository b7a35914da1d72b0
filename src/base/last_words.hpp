// SPDX-License-Identifier: BSD-3-Clause
// What a process says before it has its MPI end the job: that ends launchers too, with what they have not read.
#pragma once

#include <chrono>
#include <cstdio>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace nereus {

/// Whether all that was written to a pipe was read within the limit; of anything else nothing is waited for.
inline bool drained(int file, std::chrono::milliseconds limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    struct stat about{};
    if (fstat(file, &about) != 0 || !S_ISFIFO(about.st_mode)) return true;
    int unread = 0;
    while (ioctl(file, FIONREAD, &unread) == 0 && unread > 0) {
        if (std::chrono::steady_clock::now() >= until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// To be called before MPI_Abort: the launcher has our last line then, or had a second for it.
inline void let_last_words_arrive() {
    std::fflush(stderr);
    drained(STDERR_FILENO, std::chrono::seconds(1));
}

}
