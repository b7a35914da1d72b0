// SPDX-License-Identifier: BSD-3-Clause
#include "problem_case.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::plan::mapping {
namespace {

std::string sentence_for(const std::vector<std::vector<int>> &children, std::vector<double> costs) {
    const auto tree = Tree::of(children, std::move(costs));
    return tree ? "accepted" : tree.error().what;
}

/// Up from both until the ways meet, link by link.
double walked(const Tree &tree, int a, int b) {
    double sum = 0;
    for (int level = tree.levels(); tree.node(level, a) != tree.node(level, b); --level)
        sum += 2 * tree.costs()[at(level - 1)];
    return sum;
}

RC_GTEST_PROP(MappingTree, ADistanceIsWhatTheLinksOnTheWayCost, ()) {
    const Tree tree = any_tree();
    for (int a = 0; a < tree.slots(); ++a)
        for (int b = 0; b < tree.slots(); ++b) RC_ASSERT(tree.distance(a, b) == walked(tree, a, b));
}

RC_GTEST_PROP(MappingTree, EverySlotIsBelowOneNodeOfEachLevel, ()) {
    const Tree tree = any_tree();
    for (int level = 0; level <= tree.levels(); ++level)
        for (int node = 0, next = 0; node < tree.nodes(level); ++node) {
            const auto [first, end] = tree.slots_of(level, node);
            RC_ASSERT(first == next);
            for (int slot = first; slot < end; ++slot) RC_ASSERT(tree.node(level, slot) == node);
            next = end;
        }
}

RC_GTEST_PROP(MappingTree, APartOfATreeHasItsDistances, ()) {
    const Tree tree = any_tree();
    const int level = *rc::gen::inRange(0, tree.levels());
    const int node = *rc::gen::inRange(0, tree.nodes(level));
    const Tree part = tree.below(level, node);
    const auto [first, end] = tree.slots_of(level, node);
    RC_ASSERT(part.slots() == end - first);
    for (int slot = first; slot < end; ++slot) RC_ASSERT(part.distance(0, slot - first) == tree.distance(first, slot));
}

RC_GTEST_PROP(MappingTree, SharedSlotsAreAsFarFromOthersAsTheSlotWas, ()) {
    const Tree tree = any_tree();
    const Tree shared = tree.with_slots_shared_by(3);
    RC_ASSERT(shared.slots() == 3 * tree.slots());
    for (int slot = 0; slot < shared.slots(); ++slot) RC_ASSERT(shared.distance(0, slot) == tree.distance(0, slot / 3));
}

TEST(MappingTree, HostsNeedNotBeAlike) {
    const Tree tree = Tree::of({{2}, {1, 3}}, {5, 1}).value();
    EXPECT_EQ(tree.slots(), 4);
    EXPECT_EQ(tree.distance(0, 1), 12);
    EXPECT_EQ(tree.distance(1, 3), 2);
}

TEST(MappingTree, ATopologyThatCannotBeIsNamed) {
    EXPECT_EQ(sentence_for({{2}, {1}}, {1, 1}), "level 1 of the topology: it has 2 nodes, but 1 numbers of children");
    EXPECT_EQ(sentence_for({{2}, {1, 0}}, {1, 1}), "level 1 of the topology: 0 children: 1 .. 16777216 are allowed");
    EXPECT_EQ(sentence_for({{4096}, std::vector<int>(4096, 5000)}, {1, 1}),
              "level 2 of the topology: 20480000 nodes: up to 16777216 are allowed");
    EXPECT_EQ(sentence_for({{2}}, {-1}), "level 0 of the topology: the cost of a link: numbers from 0 are allowed");
    EXPECT_EQ(sentence_for({{2}}, {}), "a topology has a cost for each level of links");
}

TEST(MappingTree, AMachineOfMoreBitsThanANumberHasIsRefused) {
    // Each level has one node with 2^13 children, the others one.
    std::vector<std::vector<int>> children{{8192}};
    for (int level = 1; level < 6; ++level) {
        auto &numbers = children.emplace_back(8192 + 8191 * static_cast<std::size_t>(level - 1), 1);
        numbers.front() = 8192;
    }
    EXPECT_EQ(sentence_for(children, std::vector<double>(children.size(), 1)),
              "the topology has too many levels with great numbers of children");
}

}
}
