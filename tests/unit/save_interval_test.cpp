// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/save_interval.hpp"

#include "base/settings.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace nereus::job {
namespace {

std::int64_t gigabyte() { return 1'000'000'000; }
std::int64_t nothing() { return 0; }

TEST(SaveInterval, OnRequestOnlyNoneIsDue) { EXPECT_FALSE(SaveInterval().is_due(0, 1e9, gigabyte)); }

TEST(SaveInterval, FixedOneDoesNotDependOnWhatEpochsTake) {
    SaveInterval interval;
    interval.saved(1000);
    EXPECT_FALSE(interval.is_due(600, 599, gigabyte));
    EXPECT_TRUE(interval.is_due(600, 600, gigabyte));
}

TEST(SaveInterval, FirstAutomaticEpochIsSupposedToHaveTheSupposedRate) {
    const SaveInterval interval;
    EXPECT_FALSE(interval.is_due(automatically, 98.9, gigabyte));
    EXPECT_TRUE(interval.is_due(automatically, 99.1, gigabyte));
}

TEST(SaveInterval, FirstAutomaticEpochIsDueSoonWhereItIsSupposedToTakeNoTime) {
    SaveInterval interval(std::numeric_limits<double>::infinity());
    EXPECT_FALSE(interval.is_due(automatically, SaveInterval::shortest / 2, gigabyte));
    EXPECT_TRUE(interval.is_due(automatically, SaveInterval::shortest, gigabyte));
    interval.saved(1);
    EXPECT_FALSE(interval.is_due(automatically, 90, gigabyte));
}

TEST(SaveInterval, AutomaticEpochsTakeTheirShareOfTheTimeAtMost) {
    for (const double seconds : {0.02, 0.5, 3., 700.}) {
        SaveInterval interval;
        interval.saved(seconds);
        double passed = 0;
        while (!interval.is_due(automatically, passed, gigabyte)) passed += 0.1;
        EXPECT_LE(seconds / (seconds + passed), SaveInterval::share);
        EXPECT_LE(passed, seconds / SaveInterval::share + 0.1); // a step
    }
}

TEST(SaveInterval, AutomaticEpochsThatTakeNoTimeAreNotSavedAllTheTime) {
    SaveInterval interval;
    interval.saved(0);
    EXPECT_FALSE(interval.is_due(automatically, SaveInterval::shortest / 2, nothing));
    EXPECT_TRUE(interval.is_due(automatically, SaveInterval::shortest, nothing));
}

TEST(SaveInterval, EpochThatTookLongerIsFollowedByALongerInterval) {
    SaveInterval interval;
    interval.saved(0.1);
    EXPECT_TRUE(interval.is_due(automatically, 10, gigabyte));
    interval.saved(1);
    EXPECT_FALSE(interval.is_due(automatically, 10, gigabyte));
}

TEST(SaveInterval, AfterAFailureTheNextTryIsLaterUntilOneIsSaved) {
    SaveInterval interval;
    interval.failed();
    EXPECT_FALSE(interval.is_due(automatically, SaveInterval::shortest_after_failure - 1, nothing));
    EXPECT_TRUE(interval.is_due(automatically, SaveInterval::shortest_after_failure, nothing));
    interval.saved(0);
    EXPECT_TRUE(interval.is_due(automatically, SaveInterval::shortest, nothing));
}

}
}
