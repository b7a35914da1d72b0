// SPDX-License-Identifier: BSD-3-Clause
#include "problem_case.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::plan::mapping {
namespace {

Problem of_slots(int slots, int ranks) {
    return {Tree::even({slots}, {1}), Traffic(ranks, {}), std::vector<bool>(at(slots), false),
            std::vector<int>(at(ranks), nowhere)};
}

std::string sentence_for(const Done &done) { return done ? "accepted" : done.error().what; }

RC_GTEST_PROP(MappingProblem, UsualMappingsPutEveryRankIntoAFreeSlotOfItsOwn, (std::uint64_t seed)) {
    const Problem problem = any_problem();
    RC_ASSERT(check(problem).has_value());
    RC_ASSERT(check(problem, packed(problem)).has_value());
    RC_ASSERT(check(problem, random(problem, seed)).has_value());
    const int level = *rc::gen::inRange(0, problem.tree.levels() + 1);
    RC_ASSERT(check(problem, round_robin(problem, level)).has_value());
}

RC_GTEST_PROP(MappingProblem, TheCostIsEveryByteTimesItsWay, ()) {
    const Problem problem = any_problem();
    const Mapping mapping = packed(problem);
    double sum = 0;
    for (const Pair &pair : problem.traffic.pairs())
        sum += pair.bytes * problem.tree.distance(mapping[at(pair.a)], mapping[at(pair.b)]);
    RC_ASSERT(cost(problem.tree, problem.traffic, mapping) == sum);
}

RC_GTEST_PROP(MappingProblem, NewNumbersForSlotsOfOneNodeChangeNoCost, ()) {
    const Problem problem = any_problem();
    const Mapping mapping = packed(problem);
    const int node = *rc::gen::inRange(0, problem.tree.nodes(problem.tree.levels() - 1));
    const auto [first, end] = problem.tree.slots_of(problem.tree.levels() - 1, node);
    Mapping turned = mapping;
    for (int &slot : turned)
        if (slot >= first && slot < end) slot = first + (slot - first + 1) % (end - first);
    RC_ASSERT(cost(problem.tree, problem.traffic, turned) == cost(problem.tree, problem.traffic, mapping));
}

TEST(MappingProblem, BothDirectionsAndRepeatedPairsAreSummedAndSelfMessagesLeftOut) {
    const std::vector<Pair> pairs{{0, 1, 2}, {1, 0, 3}, {1, 1, 100}, {0, 1, 4}, {2, 0, 1}};
    const Traffic traffic(3, pairs);
    EXPECT_EQ(traffic.bytes_of(0), 10);
    EXPECT_EQ(traffic.bytes_of(1), 9);
    EXPECT_EQ(traffic.pairs().size(), 2u);
}

TEST(MappingProblem, GroupsHaveWhatTheirRanksHave) {
    const std::vector<Pair> pairs{{0, 1, 1}, {1, 2, 2}, {2, 3, 4}, {3, 0, 8}};
    const Traffic groups = Traffic(4, pairs).between(std::vector{0, 0, 1, -1}, 2);
    ASSERT_EQ(groups.pairs().size(), 1u);
    EXPECT_EQ(groups.pairs().front().bytes, 2);
}

RC_GTEST_PROP(MappingProblem, NoMappingCostsLessThanTheLeastThatIsShown, (std::uint64_t seed)) {
    const Problem problem = any_problem();
    RC_ASSERT(cost(problem.tree, problem.traffic, random(problem, seed)) >= least_cost(problem.tree, problem.traffic));
}

TEST(MappingProblem, BlocksOnAHostEachAreShownToCostLeast) {
    std::vector<int> order(12);
    std::iota(order.begin(), order.end(), 0);
    const Tree tree = Tree::even({3, 4}, {5, 1});
    const Traffic blocks = traffic_of_blocks(3, 4, order), uniform = traffic_of_blocks(1, 12, order);
    EXPECT_EQ(least_cost(tree, blocks), cost(tree, blocks, order));
    EXPECT_EQ(least_cost(tree, uniform), cost(tree, uniform, order));
}

TEST(MappingProblem, PackedFillsAndRoundRobinAlternates) {
    Problem problem{Tree::of({{2}, {3, 2}}, {1, 1}).value(), Traffic(4, {}), std::vector<bool>(5, false),
                    std::vector<int>(4, nowhere)};
    EXPECT_EQ(packed(problem), (Mapping{0, 1, 2, 3}));
    EXPECT_EQ(round_robin(problem, 1), (Mapping{0, 3, 1, 4}));
    problem.in_use[0] = true;
    problem.fixed[2] = 1;
    EXPECT_EQ(packed(problem), (Mapping{2, 3, 1, 4}));
}

TEST(MappingProblem, TooFewSlotsAreRefusedWithTheNumbers) {
    Problem problem = of_slots(4, 4);
    EXPECT_EQ(sentence_for(check(problem)), "accepted");
    problem.in_use[2] = true;
    EXPECT_EQ(sentence_for(check(problem)), "4 ranks are to be placed, but 3 of the 4 slots are free");
}

TEST(MappingProblem, ARankThatCannotBeWhereItIsFixedIsNamed) {
    Problem problem = of_slots(5, 4);
    problem.in_use[2] = true;
    problem.fixed = {nowhere, 2, nowhere, nowhere};
    EXPECT_EQ(sentence_for(check(problem)), "rank 1 in slot 2: the slot is in use");
    problem.fixed = {nowhere, 5, nowhere, nowhere};
    EXPECT_EQ(sentence_for(check(problem)), "rank 1 in slot 5: slots 0 .. 4 are there");
    problem.fixed = {3, nowhere, 3, nowhere};
    EXPECT_EQ(sentence_for(check(problem)), "rank 2 in slot 3: rank 0 is there");
}

TEST(MappingProblem, AMappingOfAnotherNumberOfRanksIsRefused) {
    Problem problem = of_slots(5, 3);
    EXPECT_EQ(sentence_for(check(problem, {0, 1})), "a mapping of 2 ranks: one of 3 is allowed");
    EXPECT_EQ(sentence_for(check(problem, {0, 1, -1})), "rank 2 in slot -1: slots 0 .. 4 are there");
    problem.fixed[1] = 4;
    EXPECT_EQ(sentence_for(check(problem, {0, 1, 2})), "rank 1 in slot 1: it is fixed to slot 4");
}

}
}
