// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into the ranks of Open MPI, which has no wait that sleeps: those who wait long take naps.
//
// Between two looks a waiting rank of Open MPI calls sched_yield(), where mpi_yield_when_idle is set. Linux takes each
// call for a slice of time used up (EEVDF, from 6.6 on), so that a rank that waited alone on its core is let wait for
// tens of milliseconds once a newcomer wants that core. Here the first part of each wait is spun through, as without
// that setting, and the rest is slept through.
#include <cstdint>
#include <ctime>

namespace {

constexpr std::int64_t same_wait = 50'000, patience = 200'000; // nanoseconds
constexpr timespec nap{0, 20'000};

std::int64_t nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

}

extern "C" __attribute__((visibility("default"))) int sched_yield() noexcept {
    thread_local std::int64_t began = 0, latest = 0;
    const std::int64_t now = nanoseconds();
    if (now - latest > same_wait) began = now; // the call before belonged to an earlier wait
    latest = now;
    if (now - began < patience) return 0;
    nanosleep(&nap, nullptr);
    latest = nanoseconds();
    return 0;
}
