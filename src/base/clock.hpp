// SPDX-License-Identifier: BSD-3-Clause
// Time of this process: monotonic seconds, and points in time after which waiting is given up.
#pragma once

#include <chrono>

namespace nereus {

inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Deadline {
public:
    static Deadline in(double seconds) { return Deadline(now() + seconds); }
    bool passed() const { return now() > end_; }

private:
    explicit Deadline(double end) : end_(end) {}
    double end_;
};

class Stopwatch {
public:
    double seconds() const { return now() - start_; }

private:
    double start_ = now();
};

}
