// SPDX-License-Identifier: BSD-3-Clause
// Ranges of rows that take equally long: on times that are told by one cause, on any times, and at the edges.
#include "plan/balance.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace nereus::plan {
namespace {

Work any_work() {
    const int ranks = *rc::gen::inRange(1, 20);
    Work work{{0}, {}};
    for (int rank = 0; rank < ranks; ++rank) {
        const auto rows = *rc::gen::inRange<std::int64_t>(0, 1000);
        work.borders.push_back(work.borders.back() + rows);
        work.seconds.push_back(rows == 0 ? 0.0 : *rc::gen::inRange(0, 1000) / 100.0);
    }
    return work;
}

CostProfile profile_of(const Work &work) {
    CostProfile profile(work.borders.back());
    profile.learn(work);
    return profile;
}

TEST(Balance, MovesRowsToRanksWhoseRowsCostLess) {
    const CostProfile profile = profile_of({{0, 100, 200}, {1.0, 3.0}});
    // Four seconds in all: 100 rows of 10 ms and a third of those of 30 ms.
    EXPECT_EQ(balanced(profile, 2), (Borders{0, 133, 200}));
    EXPECT_NEAR(longest(expected_seconds(profile, {0, 133, 200})), 2.01, 1e-9);
}

TEST(Balance, GivesFewerRowsToSlowerRanks) {
    const Work work{{0, 100, 200}, {1.0, 3.0}};
    EXPECT_EQ(balanced(work), (Borders{0, 150, 200}));
    const auto expected = expected_seconds(work, {0, 150, 200});
    EXPECT_NEAR(expected[0], 1.5, 1e-9);
    EXPECT_NEAR(expected[1], 1.5, 1e-9);
}

TEST(Balance, TellsTheCauseByWhatCameOfAMove) {
    const Work before{{0, 100, 200}, {1.0, 3.0}};
    const Borders moved{0, 133, 200};
    const auto if_rows = expected_seconds(profile_of(before), moved);
    const auto if_ranks = expected_seconds(before, moved);
    const std::vector<double> of_slow_rank{1.33, 2.01}; // 10 ms and 30 ms for each row, whichever it is
    EXPECT_LT(difference_of_shares(of_slow_rank, if_ranks), 1e-9);
    EXPECT_GT(difference_of_shares(of_slow_rank, if_rows), 0.1);
    EXPECT_LT(difference_of_shares({2 * 1.33, 2 * 2.01}, if_ranks), 1e-9) << "the load as a whole does not count";
}

TEST(Balance, KeepsEqualRanksAsTheyAre) {
    const Work work{{0, 50, 100, 150}, {0.5, 0.5, 0.5}};
    EXPECT_EQ(balanced(work), work.borders);
    EXPECT_EQ(balanced(profile_of(work), 3), work.borders);
    EXPECT_EQ(moved_rows(work.borders, work.borders), 0);
}

TEST(Balance, WithoutTimesKeepsTheRows) {
    EXPECT_EQ(balanced({{0, 7, 9}, {0.0, 0.0}}), (Borders{0, 7, 9}));
    EXPECT_EQ(balanced({{0, 0}, {0.0}}), (Borders{0, 0}));
    EXPECT_EQ(balanced(CostProfile(0), 2), (Borders{0, 0, 0}));
}

TEST(CostProfile, RemembersWhatOtherBordersToldOfRows) {
    CostProfile profile(200);
    profile.learn({{0, 100, 200}, {1.0, 3.0}}); // the last 50 rows cost 50 ms each, all others 10 ms
    profile.learn({{0, 150, 200}, {1.5, 2.5}});
    EXPECT_NEAR(profile.seconds_of(150, 200), 2.5, 1e-9);
    EXPECT_LT(profile.seconds_of(0, 50), profile.seconds_of(100, 150) + 1e-9);
    for (int time = 0; time < 20; ++time) {
        profile.learn({{0, 100, 200}, {1.0, 3.0}});
        profile.learn({{0, 150, 200}, {1.5, 2.5}});
    }
    EXPECT_NEAR(profile.seconds_of(100, 150), 0.5, 0.05);
    EXPECT_EQ(balanced(profile, 2), (Borders{0, 160, 200}));
}

TEST(CostProfile, ReturnsToRowsThatCostNothingForAWhile) {
    CostProfile profile(200);
    profile.learn({{0, 100, 200}, {0.0, 1.0}});
    profile.learn({{0, 100, 200}, {2.0, 1.0}});
    EXPECT_NEAR(profile.seconds_of(0, 100), 2.0, 1e-9);
}

TEST(Balance, CountsRowsThatHaveAnotherOwner) {
    EXPECT_EQ(moved_rows({0, 100, 200}, {0, 133, 200}), 33);
    EXPECT_EQ(moved_rows({0, 10, 10, 20}, {0, 0, 10, 20}), 10);
}

RC_GTEST_PROP(Balance, BordersCoverAllRowsInOrder, ()) {
    const Work work = any_work();
    const Borders borders = *rc::gen::arbitrary<bool>()
                                ? balanced(work)
                                : balanced(profile_of(work), static_cast<int>(work.seconds.size()));
    RC_ASSERT(borders.size() == work.borders.size());
    RC_ASSERT(borders.front() == 0 && borders.back() == work.borders.back());
    RC_ASSERT(std::is_sorted(borders.begin(), borders.end()));
    if (borders != work.borders && borders.back() + 1 >= std::ssize(borders))
        for (std::size_t rank = 0; rank + 1 < borders.size(); ++rank) RC_ASSERT(borders[rank] < borders[rank + 1]);
}

/// Cells of the profile that a border cuts are of two ranks.
RC_GTEST_PROP(CostProfile, ExpectsOfTheSameRowsWhatWasMeasured, ()) {
    Work work{{0}, {}};
    for (int ranks = *rc::gen::inRange(1, 20); ranks > 0; --ranks) {
        work.borders.push_back(work.borders.back() + *rc::gen::inRange<std::int64_t>(1, 100));
        work.seconds.push_back(*rc::gen::inRange(1, 1000) / 100.0);
    }
    RC_PRE(work.borders.back() <= 2048);
    const auto expected = expected_seconds(profile_of(work), work.borders);
    for (std::size_t rank = 0; rank < expected.size(); ++rank)
        RC_ASSERT(std::abs(expected[rank] - work.seconds[rank]) < 1e-6 * work.seconds[rank]);
}

RC_GTEST_PROP(CostProfile, RowAfterIsTheReverseOfSeconds, ()) {
    const Work work = any_work();
    const CostProfile profile = profile_of(work);
    const double all = profile.seconds_of(0, static_cast<double>(profile.rows()));
    const double wanted = all * *rc::gen::inRange(0, 101) / 100.0;
    RC_ASSERT(std::abs(profile.seconds_of(0, profile.row_after(wanted)) - wanted) <= 1e-9 * all + 1e-9);
}

/// No row is cut: a rank can take longer than its share by the cost of one row.
RC_GTEST_PROP(Balance, RanksTakeTheirShareButForARow, ()) {
    const Work work = any_work();
    RC_PRE(work.borders.back() > 0);
    const CostProfile profile = profile_of(work);
    const int ranks = static_cast<int>(work.seconds.size());
    double dearest = 0;
    for (std::int64_t row = 0; row < work.borders.back(); ++row)
        dearest = std::max(dearest, profile.seconds_of(static_cast<double>(row), static_cast<double>(row + 1)));
    const double share = profile.seconds_of(0, static_cast<double>(work.borders.back())) / ranks;
    RC_ASSERT(longest(expected_seconds(profile, balanced(profile, ranks))) <= share + (1 + ranks) * dearest + 1e-6);
}

}
}
