// SPDX-License-Identifier: BSD-3-Clause
// Messages between partners go from node to node wherever ranks are.
#include <cstddef>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "partners.hpp"

using namespace emulator;

namespace {

int stay(const std::vector<int> &nodes, int by) {
    int count = 0;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank)
        count += nodes[rank] == nodes[(rank + static_cast<std::size_t>(by)) % nodes.size()];
    return count;
}

std::vector<int> round_robin(int ranks, int nodes) {
    std::vector<int> found(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) found[static_cast<std::size_t>(rank)] = rank % nodes;
    return found;
}

} // namespace

TEST(Partners, AreHalfTheRanksApartWhereAllShareANode) {
    EXPECT_EQ(partner_distance({0}), 0);
    EXPECT_EQ(partner_distance({0, 0}), 1);
    EXPECT_EQ(partner_distance({0, 0, 0, 0, 0}), 2);
}

TEST(Partners, AreHalfTheRanksApartWhereNodesAreFilledOneAfterTheOther) {
    EXPECT_EQ(partner_distance({0, 0, 0, 4, 4, 4}), 3);
}

TEST(Partners, AreOnOtherNodesWhereRanksGoRoundTheNodes) {
    for (const int nodes : {2, 3, 4})
        for (int ranks = nodes; ranks <= 8 * nodes; ranks += nodes)
            EXPECT_EQ(stay(round_robin(ranks, nodes), partner_distance(round_robin(ranks, nodes))), 0)
                << ranks << " " << nodes;
}

RC_GTEST_PROP(Partners, StayOnTheirNodeAsRarelyAsTheyCan, ()) {
    const auto ranks = *rc::gen::inRange<std::size_t>(2, 20);
    const auto nodes = *rc::gen::container<std::vector<int>>(ranks, rc::gen::inRange(0, 4));
    const int by = partner_distance(nodes);
    RC_ASSERT(by >= 1 && by < static_cast<int>(ranks));
    for (int other = 1; other < static_cast<int>(ranks); ++other) RC_ASSERT(stay(nodes, by) <= stay(nodes, other));
}
