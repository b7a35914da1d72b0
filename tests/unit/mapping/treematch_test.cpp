// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mapping/treematch.hpp"

#include "plan/mapping/grouping.hpp"
#include "plan/mapping/grow.hpp"
#include "problem_case.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::plan::mapping {
namespace {

/// A problem of all slots of a tree, none in use and none fixed.
Problem free_problem(Tree tree, Traffic traffic) {
    const std::size_t slots = at(tree.slots()), ranks = at(traffic.ranks());
    return {std::move(tree), std::move(traffic), std::vector<bool>(slots, false), std::vector<int>(ranks, nowhere)};
}

bool finds_blocks(const std::vector<int> &children, int blocks, int size, int level) {
    const Tree tree = Tree::even(children, std::vector<double>(children.size(), 1));
    const auto order = any_order(blocks * size);
    const Mapping mapping = tree_match(free_problem(tree, traffic_of_blocks(blocks, size, order)));
    return blocks_are_together(tree, level, blocks, size, order, mapping);
}

RC_GTEST_PROP(TreeMatch, EveryRankGetsAFreeSlotOfItsOwnAndFixedOnesStay, ()) {
    const Problem problem = any_problem();
    RC_ASSERT(check(problem, tree_match(problem)).has_value());
}

RC_GTEST_PROP(TreeMatch, BlocksThatAreListedComeTogether, ()) { RC_ASSERT(finds_blocks({4, 3}, 4, 3, 1)); }
RC_GTEST_PROP(TreeMatch, PairsComeTogether, ()) { RC_ASSERT(finds_blocks({150, 2}, 150, 2, 1)); }
RC_GTEST_PROP(TreeMatch, BlocksThatAreTooManyToListComeTogether, ()) { RC_ASSERT(finds_blocks({6, 14}, 6, 14, 1)); }
RC_GTEST_PROP(TreeMatch, BlocksOnMoreSlotsThanTheyNeedComeTogether, ()) { RC_ASSERT(finds_blocks({6, 4}, 3, 4, 1)); }
RC_GTEST_PROP(TreeMatch, BlocksOfPairsOfHostsComeTogetherBelowASwitch, ()) {
    RC_ASSERT(finds_blocks({4, 2, 6}, 4, 12, 1));
}

RC_GTEST_PROP(TreeMatch, BlocksComeTogetherOnHostsWithSlotsInUse, ()) {
    // Hosts of 6 slots, of which 2 are in use.
    const auto order = any_order(16);
    Problem problem = free_problem(Tree::even({4, 6}, {1, 1}), traffic_of_blocks(4, 4, order));
    for (std::size_t host = 0; host < 4; ++host)
        for (std::size_t slot : {1, 4}) problem.in_use[host * 6 + slot] = true;
    const Mapping mapping = tree_match(problem);
    RC_ASSERT(check(problem, mapping).has_value());
    RC_ASSERT(blocks_are_together(problem.tree, 1, 4, 4, order, mapping));
}

RC_GTEST_PROP(TreeMatch, ABlockComesWhereOneOfItsRanksIsFixed, ()) {
    const auto order = any_order(12);
    Problem problem = free_problem(Tree::even({3, 4}, {1, 1}), traffic_of_blocks(3, 4, order));
    problem.fixed[at(order[0])] = 9;
    const Mapping mapping = tree_match(problem);
    RC_ASSERT(mapping[at(order[0])] == 9);
    RC_ASSERT(blocks_are_together(problem.tree, 1, 3, 4, order, mapping));
}

RC_GTEST_PROP(TreeMatch, FewRanksGoToTheHostThatHasRoomForAll, ()) {
    const auto order = any_order(5);
    const Problem problem = free_problem(Tree::of({{3}, {2, 6, 3}}, {1, 1}).value(), traffic_of_blocks(1, 5, order));
    for (const int slot : tree_match(problem)) RC_ASSERT(problem.tree.node(1, slot) == 1);
}

TEST(TreeMatch, OfDenseTrafficEndsWithItsSteps) {
    const int ranks = 256;
    for (const int first : {nowhere, 0}) {
        Problem problem = free_problem(Tree::even({16, 16}, {1, 0}), dense_traffic(ranks));
        problem.fixed.front() = first;
        for (const std::int64_t most : {0, 10'000'000}) {
            Steps steps(most);
            EXPECT_TRUE(check(problem, tree_match(problem, steps)));
            EXPECT_LE(steps.taken(), most + 100 * ranks * ranks);
        }
    }
}

RC_GTEST_PROP(Grouping, GroupsAreAllOfTheSameSize, ()) {
    const int size = *rc::gen::inRange(1, 9), groups = *rc::gen::inRange(1, 9);
    Steps steps(steps_of_grouping);
    const auto group_of = grouped(any_traffic(size * groups), size, steps);
    for (int group = 0; group < groups; ++group) RC_ASSERT(std::ranges::count(group_of, group) == size);
}

RC_GTEST_PROP(Grouping, GrownPartsHaveRoomForTheirRanks, ()) {
    const auto room = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 6)));
    const int ranks = *rc::gen::inRange(1, std::accumulate(room.begin(), room.end(), 0) + 1);
    const auto part_of = grown(any_traffic(ranks), room, std::vector<int>(at(ranks), no_part));
    for (std::size_t part = 0; part < room.size(); ++part)
        RC_ASSERT(std::ranges::count(part_of, static_cast<int>(part)) <= room[part]);
    RC_ASSERT(std::ranges::count(part_of, no_part) == 0);
}

}
}
