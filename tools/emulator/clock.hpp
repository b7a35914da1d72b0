// SPDX-License-Identifier: BSD-3-Clause
// The two times of the emulator: durations, and seconds since the start of the job.
#pragma once

#include "base/clock.hpp"

#include <ctime>

namespace emulator {

using nereus::now;
using nereus::unix_now;

/// Seconds for which this thread had a core.
inline double cpu_now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Seconds since the job started, on processes that came later too: they know the start as a date. The date is read
/// once, so that a host whose date is corrected during the run does not bend the times of one process.
class JobClock {
public:
    explicit JobClock(double started_unix) : offset_(unix_now() - now() - started_unix) {}
    double seconds() const { return now() + offset_; }
    double at(double instant) const { return instant + offset_; } ///< `instant` as now() gave it

private:
    double offset_;
};

} // namespace emulator
