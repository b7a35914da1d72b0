// SPDX-License-Identifier: BSD-3-Clause
#include "job/timing/durations.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace nereus::job {
namespace {

TEST(Durations, NothingHasNoMedian) {
    const Durations none;
    EXPECT_EQ(none.count(), 0);
    EXPECT_EQ(none.median(), 0);
}

RC_GTEST_PROP(Durations, AJobOfFewIterationsHasItsExactMedian, ()) {
    const auto seconds = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
        rc::gen::map(rc::gen::inRange(0, 1000), [](int n) { return n / 8.0; })));
    RC_PRE(seconds.size() <= Durations::most_kept);
    Durations durations;
    for (const double each : seconds) durations.add(each);
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    RC_ASSERT(durations.median() == (sorted[half] + sorted[(sorted.size() - 1) / 2]) / 2);
    RC_ASSERT(durations.sum() == std::accumulate(seconds.begin(), seconds.end(), 0.0));
}

TEST(Durations, ALongJobIsSampledEvenlyAndSummedWhole) {
    Durations durations;
    const std::int64_t count = 1'000'000;
    for (std::int64_t i = 0; i < count; ++i) durations.add(static_cast<double>(i));
    EXPECT_EQ(durations.count(), count);
    EXPECT_EQ(durations.sum(), static_cast<double>(count) * static_cast<double>(count - 1) / 2);
    EXPECT_NEAR(durations.median() / static_cast<double>(count), 0.5, 0.001);
}

}
}
