// SPDX-License-Identifier: BSD-3-Clause
#include "work.hpp"

#include "tools/common/clock.hpp"

#include <algorithm>

namespace transfers {

void compute(std::int64_t steps) {
    volatile double x = 1;
    for (std::int64_t i = 0; i < steps; ++i) x = x * 0.5 + 1;
}

std::int64_t steps_in(double seconds) {
    constexpr std::int64_t sample = 100'000;
    constexpr int tries = 20;
    double quickest = 1;
    for (int i = 0; i < tries; ++i) {
        const double start = common::now();
        compute(sample);
        quickest = std::min(quickest, common::now() - start);
    }
    return static_cast<std::int64_t>(seconds / quickest * sample);
}

}
