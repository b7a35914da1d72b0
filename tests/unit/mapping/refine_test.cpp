// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mapping/refine.hpp"

#include "plan/mapping/treematch.hpp"
#include "problem_case.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::plan::mapping {
namespace {

double cost_of(const Problem &problem, const Mapping &mapping) { return cost(problem.tree, problem.traffic, mapping); }

/// No swap of two ranks, or of a rank and a free slot, makes the mapping cheaper.
bool no_swap_helps(const Problem &problem, const Mapping &mapping) {
    const double before = cost_of(problem, mapping);
    for (std::size_t rank = 0; rank < mapping.size(); ++rank)
        for (int slot = 0; slot < problem.tree.slots(); ++slot) {
            Mapping other = mapping;
            const auto there = std::ranges::find(other, slot);
            if (there != other.end()) *there = mapping[rank];
            other[rank] = slot;
            if (check(problem, other) && cost_of(problem, other) < before - 1e-6 * (1 + before)) return false;
        }
    return true;
}

/// A ring in which each rank has most with the next.
Traffic ring(int ranks) {
    std::vector<Pair> pairs;
    for (int rank = 0; rank < ranks; ++rank) pairs.push_back({rank, (rank + 1) % ranks, 100});
    return {ranks, pairs};
}

RC_GTEST_PROP(Refinement, IsNeverDearerThanWhatItBeganWith, (std::uint64_t seed)) {
    const Problem problem = any_problem();
    const Mapping begin = random(problem, seed), end = refined(problem, begin);
    RC_ASSERT(check(problem, end).has_value());
    RC_ASSERT(cost_of(problem, end) <= cost_of(problem, begin) + 1e-6);
}

RC_GTEST_PROP(Refinement, EndsWhereNoSwapHelps, (std::uint64_t seed)) {
    const Problem problem = any_problem();
    RC_ASSERT(no_swap_helps(problem, refined(problem, random(problem, seed))));
}

RC_GTEST_PROP(Refinement, OfALargeMachineIsNeverDearerEither, (std::uint64_t seed)) {
    const Problem problem{Tree::even({5, 12, 20}, {2, 1, 1}), ring(1200), std::vector<bool>(1200, false),
                          std::vector<int>(1200, nowhere)};
    const Mapping begin = random(problem, seed), end = refined(problem, begin);
    RC_ASSERT(check(problem, end).has_value());
    RC_ASSERT(cost_of(problem, end) < cost_of(problem, begin));
}

TEST(Refinement, HostsAreExchangedBetweenSwitchesWhereNoSingleSwapHelps) {
    // Hosts 0 and 2, and 1 and 3, belong together; each host's ranks have most with each other.
    std::vector<Pair> pairs;
    for (int host = 0; host < 4; ++host) pairs.push_back({2 * host, 2 * host + 1, 1000});
    for (const auto &[a, b] : {std::pair{0, 4}, {1, 5}, {2, 6}, {3, 7}}) pairs.push_back({a, b, 10});
    const Problem problem{Tree::even({2, 2, 2}, {1, 1, 1}), Traffic(8, pairs), std::vector<bool>(8, false),
                          std::vector<int>(8, nowhere)};
    const Mapping end = refined(problem, {0, 1, 2, 3, 4, 5, 6, 7});
    EXPECT_EQ(problem.tree.node(1, end[0]), problem.tree.node(1, end[4]));
    EXPECT_EQ(problem.tree.node(2, end[0]), problem.tree.node(2, end[1]));
}

/// 256 ranks on 16 hosts, all with all.
Problem dense_problem() {
    return {Tree::even({16, 16}, {1, 0}), dense_traffic(256), std::vector<bool>(256, false),
            std::vector<int>(256, nowhere)};
}

TEST(Refinement, OfDenseTrafficEndsWithItsSteps) {
    const Problem problem = dense_problem();
    const Mapping begin = random(problem, 1);
    double last = cost_of(problem, begin);
    for (const std::int64_t most : {0, 100'000, 1'000'000, 20'000'000}) {
        Steps steps(most);
        const Mapping end = refined(problem, begin, steps);
        ASSERT_TRUE(check(problem, end));
        EXPECT_LE(steps.taken(), most + 256 * 256);
        EXPECT_LE(cost_of(problem, end), last);
        last = cost_of(problem, end);
    }
    EXPECT_LT(last, cost_of(problem, begin));
}

TEST(Refinement, OfDenseTrafficIsTheSameForTheSameSteps) {
    const Problem problem = dense_problem();
    EXPECT_EQ(refined(problem, random(problem, 1), 5'000'000), refined(problem, random(problem, 1), 5'000'000));
}

TEST(Refinement, TakesNoStepsWhereNothingCanBeGained) {
    std::vector<int> order(256);
    std::iota(order.begin(), order.end(), 0);
    Problem problem = dense_problem();
    problem.traffic = traffic_of_blocks(1, 256, order);
    const Mapping begin = random(problem, 1);
    Steps steps(steps_of_refining);
    EXPECT_EQ(refined(problem, begin, steps), begin);
    EXPECT_LE(steps.taken(), 256 * 256);
}

TEST(Refinement, TheSameProblemIsRefinedTheSameWay) {
    const Problem problem{Tree::even({4, 5}, {1, 1}), ring(20), std::vector<bool>(20, false),
                          std::vector<int>(20, nowhere)};
    EXPECT_EQ(refined(problem, random(problem, 3)), refined(problem, random(problem, 3)));
}

}
}
