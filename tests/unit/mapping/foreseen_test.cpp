// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: ranks that will talk to each other on one host after a resize.
#include "plan/traffic_prediction.hpp"
#include "problem_case.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace nereus::plan;
using namespace nereus::plan::mapping;

namespace {

/// Each rank with the next one, and the last with the first where it is a ring.
Traffic row(int ranks, bool is_ring) {
    std::vector<mapping::Pair> pairs;
    for (int rank = 0; rank + 1 < ranks; ++rank) pairs.push_back({rank, rank + 1, 100});
    if (is_ring && ranks > 2) pairs.push_back({0, ranks - 1, 100});
    return {ranks, pairs};
}

/// Ranks are numbered row by row; what a row has with the next one is 300 in all, whatever its length.
Traffic grid(int rows, int columns) {
    std::vector<mapping::Pair> pairs;
    for (int rank = 0; rank < rows * columns; ++rank) {
        if ((rank + 1) % columns != 0) pairs.push_back({rank, rank + 1, 100});
        if (rank + columns < rows * columns) pairs.push_back({rank, rank + columns, 300.0 / columns});
    }
    return {rows * columns, pairs};
}

double bytes_between(const Traffic &traffic, int a, int b) {
    for (const Peer &peer : traffic.peers(a))
        if (peer.rank == b) return peer.bytes;
    return 0;
}

double sum(const Traffic &traffic) {
    double bytes = 0;
    for (const mapping::Pair &pair : traffic.pairs()) bytes += pair.bytes;
    return bytes;
}

}

RC_GTEST_PROP(Foreseen, NeighboursInARowStayNeighbours, ()) {
    const int sources = *rc::gen::inRange(2, 20), drains = *rc::gen::inRange(2, 40);
    const Traffic after = foreseen(row(sources, false), drains);
    for (const mapping::Pair &pair : after.pairs()) RC_ASSERT(pair.b - pair.a == 1);
    RC_ASSERT(std::ssize(after.pairs()) == drains - 1);
}

RC_GTEST_PROP(Foreseen, ARingStaysClosed, ()) {
    const int sources = *rc::gen::inRange(3, 20), drains = *rc::gen::inRange(sources, 40);
    const Traffic after = foreseen(row(sources, true), drains);
    RC_ASSERT(bytes_between(after, 0, drains - 1) == 100);
}

TEST(Foreseen, RowsOfAGridThatAreCutFinerStillHaveWhatTheyHadWithTheNextRow) {
    const Traffic after = foreseen(grid(4, 3), 24);
    for (int rank = 0; rank + 6 < 24; ++rank) EXPECT_DOUBLE_EQ(bytes_between(after, rank, rank + 6), 50);
}

TEST(Foreseen, RowsOfAGridThatAreCutCoarserStillHaveWhatTheyHadWithTheNextRow) {
    const Traffic after = foreseen(grid(4, 6), 12);
    for (int rank = 0; rank + 3 < 12; ++rank) EXPECT_DOUBLE_EQ(bytes_between(after, rank, rank + 3), 100);
}

RC_GTEST_PROP(Foreseen, NothingIsAddedWhereRanksGetFewer, ()) {
    const int sources = *rc::gen::inRange(1, 20), drains = *rc::gen::inRange(1, sources + 1);
    const Traffic before = any_traffic(sources), after = foreseen(before, drains);
    RC_ASSERT(after.ranks() == drains);
    RC_ASSERT(sum(after) <= sum(before) * (1 + 1e-9));
}

RC_GTEST_PROP(Foreseen, AnyTrafficOfAnyRanksCanBeForeseen, ()) {
    const int sources = *rc::gen::inRange(1, 12), drains = *rc::gen::inRange(1, 40);
    const Traffic after = foreseen(any_traffic(sources), drains);
    RC_ASSERT(after.ranks() == drains);
    for (const mapping::Pair &pair : after.pairs()) RC_ASSERT(pair.bytes > 0 && pair.b < drains);
}
