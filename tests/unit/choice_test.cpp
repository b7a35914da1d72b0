// SPDX-License-Identifier: BSD-3-Clause
#include "plan/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <nereus/resize.h>
#include <rapidcheck/gtest.h>

namespace nereus::plan {
namespace {

constexpr int p2p = 0, col = 1, rma_lockall = 3;
constexpr int blocking = 0, wait_drains = 2, thread = 3;

std::vector<Way> all_ways() {
    std::vector<Way> ways;
    for (int strategy = 0; strategy < NEREUS_STRATEGY_AUTO; ++strategy)
        for (int method = 0; method < NEREUS_TRANSFER_AUTO; ++method) ways.push_back({method, strategy});
    return ways;
}

/// 0 .. most, small ones among them, and now and then exactly 0: then ways are equal.
double any_number(double most) {
    const double mantissa = static_cast<double>(*rc::gen::inRange(0, 1000)) / 1000;
    return most * mantissa * std::pow(10, -*rc::gen::inRange(0, 10));
}

Costs any_costs() {
    Costs costs;
    for (const Way &way : all_ways())
        if (*rc::gen::inRange(0, 4) > 0)
            costs.ways.push_back({way, any_number(10), any_number(10), any_number(1), any_number(10),
                                  1 + (way.in_background() ? any_number(100) : 0)});
    return costs;
}

Load any_load() { return {*rc::gen::inRange(std::int64_t{0}, INT64_MAX), *rc::gen::inRange(0, 20)}; }

Demand any_demand() {
    std::vector<Way> ways;
    for (const Way &way : all_ways())
        if (*rc::gen::arbitrary<bool>()) ways.push_back(way);
    return {any_load(), any_load(), ways};
}

std::optional<Choice> choose_only(const Costs &costs, Demand demand, const Way &way) {
    demand.candidates = {way};
    return choose(costs, demand);
}

RC_GTEST_PROP(Choice, IsAlwaysACandidate, ()) {
    const Demand demand = any_demand();
    if (const auto choice = choose(any_costs(), demand))
        RC_ASSERT(std::ranges::count(demand.candidates, choice->way) == 1);
}

RC_GTEST_PROP(Choice, IsMadeWheneverOneCandidateHasCosts, ()) {
    const Costs costs = any_costs();
    const Demand demand = any_demand();
    const bool possible = std::ranges::any_of(
        demand.candidates, [&](const Way &way) { return choose_only(costs, demand, way).has_value(); });
    RC_ASSERT(choose(costs, demand).has_value() == possible);
}

RC_GTEST_PROP(Choice, NoCandidateIsExpectedToLoseLess, ()) {
    const Costs costs = any_costs();
    const Demand demand = any_demand();
    const auto choice = choose(costs, demand);
    for (const Way &way : demand.candidates)
        if (const auto other = choose_only(costs, demand, way)) RC_ASSERT(choice->lost_seconds <= other->lost_seconds);
}

RC_GTEST_PROP(Choice, OfEqualCandidatesTheFirstIsTaken, ()) {
    const Costs costs = any_costs();
    const Demand demand = any_demand();
    const auto choice = choose(costs, demand);
    for (const Way &way : demand.candidates) {
        if (!choice || way == choice->way) break;
        if (const auto other = choose_only(costs, demand, way)) RC_ASSERT(choice->lost_seconds < other->lost_seconds);
    }
}

RC_GTEST_PROP(Choice, MoreDataIsNeverExpectedToTakeOrLoseLess, ()) {
    const Costs costs = any_costs();
    Demand less = any_demand();
    less.constant.arrays += 1; // with the first of them, strategies become different
    Demand more = less;
    Load &grown = *rc::gen::arbitrary<bool>() ? more.constant : more.variable;
    grown.bytes += *rc::gen::inRange(std::int64_t{0}, INT64_MAX - grown.bytes);
    grown.arrays += *rc::gen::inRange(0, 5);
    const auto before = choose(costs, less), after = choose(costs, more);
    RC_ASSERT(before.has_value() == after.has_value());
    if (before) RC_ASSERT(before->lost_seconds <= after->lost_seconds);
    for (const Way &way : less.candidates)
        if (const auto one = choose_only(costs, less, way))
            RC_ASSERT(one->predicted_seconds <= choose_only(costs, more, way)->predicted_seconds);
}

RC_GTEST_PROP(Choice, WhatIsExpectedIsANumber, ()) {
    if (const auto choice = choose(any_costs(), any_demand())) {
        RC_ASSERT(std::isfinite(choice->predicted_seconds) && choice->predicted_seconds >= 0);
        RC_ASSERT(std::isfinite(choice->lost_seconds) && choice->lost_seconds >= 0);
    }
}

/// 1 s for 1 GB and 1 ms for each array, and 5 % slower iterations in the background.
Costs usual_costs() {
    return {"",
            {{{p2p, blocking}, 0, 1e-3, 1e-9, 0.010, 1},
             {{p2p, wait_drains}, 0, 1e-3, 4e-9, 0.015, 1.05},
             {{rma_lockall, blocking}, 0.2, 5e-3, 0.5e-9, 0.010, 1}}};
}

const std::vector<Way> usual_ways{{p2p, blocking}, {rma_lockall, blocking}, {p2p, wait_drains}};

TEST(Choice, ASecondOfDataGoesInTheBackground) {
    const auto choice = choose(usual_costs(), {{1'000'000'000, 1}, {}, usual_ways});
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->way, (Way{p2p, wait_drains}));
    EXPECT_NEAR(choice->predicted_seconds, 4.001, 1e-9);
    EXPECT_NEAR(choice->lost_seconds, 0.015 + 4.001 * 0.05 / 1.05, 1e-9);
}

TEST(Choice, LittleDataIsNotWorthSlowerIterations) {
    EXPECT_EQ(choose(usual_costs(), {{1'000'000, 1}, {}, usual_ways})->way, (Way{p2p, blocking}));
}

TEST(Choice, VariableDataMakesTheApplicationWaitWithEveryStrategy) {
    const auto choice = choose(usual_costs(), {{1'000'000, 1}, {1'000'000'000, 1}, usual_ways});
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->way, (Way{rma_lockall, blocking}));
    EXPECT_NEAR(choice->predicted_seconds, 0.2 + 0.005 + 0.0005 + 0.2 + 0.005 + 0.5, 1e-9);
    EXPECT_NEAR(choice->lost_seconds, choice->predicted_seconds + 0.010, 1e-9);
}

TEST(Choice, ManyArraysMakeWindowsTooDear) {
    EXPECT_EQ(choose(usual_costs(), {{}, {1'000'000'000, 1}, usual_ways})->way, (Way{rma_lockall, blocking}));
    EXPECT_EQ(choose(usual_costs(), {{}, {1'000'000'000, 100}, usual_ways})->way, (Way{p2p, blocking}));
}

TEST(Choice, WithoutConstantDataNothingIsInTheBackground) {
    const auto choice = choose(usual_costs(), {{}, {1'000'000, 1}, {{p2p, wait_drains}, {p2p, blocking}}});
    ASSERT_TRUE(choice);
    EXPECT_NEAR(choice->predicted_seconds, 0.002, 1e-9);
    EXPECT_NEAR(choice->lost_seconds, 0.012, 1e-9);
}

TEST(Choice, WhatStandsStillCostsNothing) {
    const auto choice = choose(usual_costs(), {{}, {}, usual_ways});
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->way, (Way{p2p, blocking}));
    EXPECT_EQ(choice->predicted_seconds, 0);
}

TEST(Choice, SaysWhyInASentence) {
    EXPECT_EQ(choose(usual_costs(), {{1'000'000, 1}, {}, {{p2p, wait_drains}, {p2p, blocking}}})->why,
              "the application was expected to lose 0.012 s, with the next best, p2p, wait-drains, 0.015 s");
    EXPECT_EQ(choose(usual_costs(), {{1'000'000, 1}, {}, {{p2p, blocking}}})->why,
              "the application was expected to lose 0.012 s, and no other way was possible");
}

TEST(Choice, IsNotMadeWhereNothingIsKnown) {
    EXPECT_FALSE(choose(usual_costs(), {{1, 1}, {}, {{col, blocking}, {col, thread}}}));
    EXPECT_FALSE(choose({}, {{1, 1}, {}, usual_ways}));
    EXPECT_FALSE(choose(usual_costs(), {{1, 1}, {}, {}}));
}

}
}
