// SPDX-License-Identifier: BSD-3-Clause
#include "tools/place/best.hpp"

#include "mapping/problem_case.hpp"
#include "tools/place/scotch.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::place {
namespace {

using namespace plan::mapping;

constexpr double nearly = 1e-6;

RC_GTEST_PROP(Best, IsNeverDearerThanAnyOfTheOthers, (std::uint64_t seed)) {
    const Problem problem = any_problem();
    const Best best = best_of({problem, 0, random(problem, seed), seed});
    RC_ASSERT(check(problem, best.mapping).has_value());
    RC_ASSERT(best.cost == cost(problem.tree, problem.traffic, best.mapping));
    const double most = best.cost - nearly;
    RC_ASSERT(most <= best.costs.packed && most <= best.costs.treematch && most <= *best.costs.current);
    if (best.costs.scotch) RC_ASSERT(most <= *best.costs.scotch);
}

TEST(Best, NothingIsMovedWhereNothingIsGained) {
    const Problem problem{Tree::even({2, 2}, {1, 1}), Traffic(4, {}), std::vector<bool>(4, false),
                          std::vector<int>(4, nowhere)};
    EXPECT_EQ(best_of({problem, 1, std::nullopt, 0}).from, "packed");
    const Mapping current{3, 1, 2, 0};
    const Best kept = best_of({problem, 1, current, 0});
    EXPECT_EQ(kept.from, "current");
    EXPECT_EQ(kept.mapping, current);
}

RC_GTEST_PROP(Best, BlocksComeTogetherOnHostsThatAreNotAlike, ()) {
    const auto order = any_order(12);
    std::vector<Pair> pairs;
    for (const auto &[first, end] : {std::pair{0, 6}, {6, 10}, {10, 12}})
        for (int i = first; i < end; ++i)
            for (int j = first; j < i; ++j) pairs.push_back({order[at(i)], order[at(j)], 10});
    const Problem problem{Tree::of({{3}, {4, 2, 6}}, {1, 1}).value(), Traffic(12, pairs), std::vector<bool>(12, false),
                          std::vector<int>(12, nowhere)};
    const Best best = best_of({problem, 1, std::nullopt, 1});
    std::vector<int> hosts;
    for (const int rank : order) hosts.push_back(problem.tree.node(1, best.mapping[at(rank)]));
    RC_ASSERT(hosts == (std::vector{2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 1, 1}));
}

RC_GTEST_PROP(Scotch, EveryRankGetsAFreeSlotOfItsOwnAndFixedOnesStay, ()) {
    const Problem problem = any_problem();
    if (const auto mapping = scotch_mapping(problem)) RC_ASSERT(check(problem, *mapping).has_value());
}

RC_GTEST_PROP(Scotch, BlocksComeTogether, ()) {
    const auto order = any_order(12);
    const Problem problem{Tree::even({3, 4}, {1, 1}), traffic_of_blocks(3, 4, order), std::vector<bool>(12, false),
                          std::vector<int>(12, nowhere)};
    if (const auto mapping = scotch_mapping(problem))
        RC_ASSERT(blocks_are_together(problem.tree, 1, 3, 4, order, *mapping));
}

TEST(Best, TheSameQuestionHasTheSameAnswer) {
    std::vector<Pair> pairs;
    for (int rank = 0; rank < 512; ++rank) pairs.push_back({rank, (rank * 7 + 3) % 512, 1.0 + rank % 5});
    const Problem problem{Tree::even({8, 4, 16}, {1, 1, 1}), Traffic(512, pairs), std::vector<bool>(512, false),
                          std::vector<int>(512, nowhere)};
    const Best first = best_of({problem, 1, std::nullopt, 1});
    for (int times = 0; times < 3; ++times) EXPECT_EQ(best_of({problem, 1, std::nullopt, 1}).mapping, first.mapping);
}

TEST(Scotch, AMachineThatIsCutForItStillGetsEveryRank) {
    // More slots than Scotch is given at once, of hosts that have 3 or 4, with some in use and a rank that is fixed.
    std::vector<int> slots_of_host;
    for (int host = 0; host < 1500; ++host) slots_of_host.push_back(3 + host % 2);
    Tree tree = Tree::of({{1500}, slots_of_host}, {1, 1}).value();
    std::vector<Pair> pairs;
    for (int rank = 0; rank < 5000; ++rank) pairs.push_back({rank, (rank + 1) % 5000, 1});
    std::vector<bool> in_use(at(tree.slots()), false);
    std::fill(in_use.begin() + 7, in_use.begin() + 90, true);
    std::vector<int> fixed(5000, nowhere);
    fixed[17] = 5249;
    const Problem problem{std::move(tree), Traffic(5000, pairs), in_use, fixed};
    const auto mapping = scotch_mapping(problem);
    if (!mapping) GTEST_SKIP() << "built without Scotch";
    EXPECT_TRUE(check(problem, *mapping).has_value());
    EXPECT_LT(cost(problem.tree, problem.traffic, *mapping),
              0.7 * cost(problem.tree, problem.traffic, random(problem, 1)));
}

}
}
