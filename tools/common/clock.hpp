// SPDX-License-Identifier: BSD-3-Clause
// Seconds that processes of one host can compare.
#pragma once

#include <chrono>

namespace common {

/// Since the machine was started.
/// As Python's time.monotonic(), as steady_clock is CLOCK_MONOTONIC here; MPI_Wtime() may begin with each process.
inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}
