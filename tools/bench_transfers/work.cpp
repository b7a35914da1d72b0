// SPDX-License-Identifier: BSD-3-Clause
#include "work.hpp"

#include <algorithm>
#include <chrono>

namespace transfers {

double now() {
    // steady_clock is CLOCK_MONOTONIC here: the same for all processes since the machine was started.
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void compute(std::int64_t steps) {
    volatile double x = 1;
    for (std::int64_t i = 0; i < steps; ++i) x = x * 0.5 + 1;
}

std::int64_t steps_in(double seconds) {
    constexpr std::int64_t sample = 100'000;
    constexpr int tries = 20;
    double quickest = 1;
    for (int i = 0; i < tries; ++i) {
        const double start = now();
        compute(sample);
        quickest = std::min(quickest, now() - start);
    }
    return static_cast<std::int64_t>(seconds / quickest * sample);
}

}
