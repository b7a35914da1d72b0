// SPDX-License-Identifier: BSD-3-Clause
// What stands for the computing: a wait that is as long as an iteration would take on so many ranks. So a job gets
// faster with more ranks also where they share cores.
#pragma once

#include <chrono>
#include <cstdint>

namespace phases {

/// Seconds of an iteration on P ranks: fixed + divided / P + per_rank * P.
struct Wait {
    double fixed = 0;
    double divided = 0;
    double per_rank = 0;
    double noise = 0; ///< standard deviation, as a share
    std::int64_t seed = 42;

    /// Of the iteration after `iterations` are done; the same in each run with this seed, on each rank.
    double seconds(std::int64_t iterations, int ranks) const;
};

/// Iterations end at dates: what a process wakes up late from one is taken off the next.
class Timer {
public:
    /// What follows is counted from now.
    void begin() { due_ = std::chrono::steady_clock::now(); }
    /// Sleeps until so many seconds have passed since the end of the wait before, or begin().
    void wait(double seconds);

private:
    std::chrono::steady_clock::time_point due_ = std::chrono::steady_clock::now();
};

}
