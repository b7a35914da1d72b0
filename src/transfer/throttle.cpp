// SPDX-License-Identifier: BSD-3-Clause
#include "transfer/throttle.hpp"

#include "mpi/waiting.hpp"

#include <ctime>
#include <unistd.h>

namespace nereus::transfer {
namespace {

constexpr double shortest_sleep = 200e-6; // shorter ones end late by as much as they last
constexpr int looks_before_rest = 64;
// For each look at what MPI moves in it, which may be the sources' work and not that of this thread.
constexpr double look_seconds = 60e-6;

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}

void Throttle::after_work() {
    if (!is_polite()) return;
    const double worked = began_ ? processor_seconds() - worked_until_ : 0;
    const double sleep = worked * (1 / share_ - 1);
    if (began_ && sleep < shortest_sleep) return;
    if (began_) usleep(static_cast<useconds_t>(sleep * 1e6));
    worked_until_ = processor_seconds();
    began_ = true;
}

void Throttle::after_nothing() {
    if (is_polite())
        usleep(static_cast<useconds_t>(look_seconds / share_ * 1e6));
    else if (++found_nothing_ % looks_before_rest == 0)
        mpi::rest();
}

}
