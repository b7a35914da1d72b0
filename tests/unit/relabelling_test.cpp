// SPDX-License-Identifier: BSD-3-Clause
#include "plan/relabelling.hpp"
#include "resize_case.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace nereus::plan {
namespace {

/// Some of the ranks of a communicator of 8, in any order.
std::vector<int> any_ranks(int count) {
    std::vector<int> ranks(8);
    std::iota(ranks.begin(), ranks.end(), 0);
    for (std::size_t i = ranks.size(); i > 1; --i) std::swap(ranks[i - 1], ranks[*rc::gen::inRange<std::size_t>(0, i)]);
    ranks.resize(static_cast<std::size_t>(count));
    return ranks;
}

/// Elements of each new part that a rank has, counted one by one.
using Counts = std::vector<std::vector<std::int64_t>>;
Counts counted(const Placed &before, const Placed &after) {
    Counts counts(8, std::vector<std::int64_t>(after.ranks.size(), 0));
    for (std::size_t source = 0; source < before.ranks.size(); ++source)
        for (std::size_t drain = 0; drain < after.ranks.size(); ++drain) {
            const Part has = part_of(before.distribution, static_cast<int>(source));
            const Part wants = part_of(after.distribution, static_cast<int>(drain));
            Part both;
            std::ranges::set_intersection(has, wants, std::back_inserter(both));
            counts[static_cast<std::size_t>(before.ranks[source])][drain] = std::ssize(both);
        }
    return counts;
}

std::int64_t stays_in(const Counts &counts, const std::vector<int> &ranks) {
    std::int64_t stays = 0;
    for (std::size_t drain = 0; drain < ranks.size(); ++drain)
        stays += counts[static_cast<std::size_t>(ranks[drain])][drain];
    return stays;
}

std::int64_t most_of_all_orders(const Counts &counts, std::vector<int> ranks) {
    std::ranges::sort(ranks);
    std::int64_t most = 0;
    do most = std::max(most, stays_in(counts, ranks));
    while (std::ranges::next_permutation(ranks).found);
    return most;
}

RC_GTEST_PROP(Relabelling, NoOtherOrderOfTheSameRanksKeepsMore, ()) {
    const ResizeCase other = any_redistribution(8, 60);
    const Placed before{other.cut_before, any_ranks(other.cut_before.ranks())};
    const Placed after{other.cut_after, any_ranks(other.cut_after.ranks())};
    const Counts counts = counted(before, after);
    const Relabelling found = relabelled(before, after);
    RC_ASSERT(std::ranges::is_permutation(found.ranks, after.ranks));
    RC_ASSERT(found.stays == stays_in(counts, found.ranks));
    RC_ASSERT(found.stays == most_of_all_orders(counts, after.ranks));
}

RC_GTEST_PROP(Relabelling, AnOrderThatKeepsAsMuchAsAnyStays, ()) {
    const ResizeCase other = any_redistribution(6, 60);
    const Placed before{other.cut_before, any_ranks(other.cut_before.ranks())};
    const Placed after{other.cut_after, any_ranks(other.cut_after.ranks())};
    const Placed best{other.cut_after, relabelled(before, after).ranks};
    RC_ASSERT(relabelled(before, best).ranks == best.ranks);
}

TEST(Relabelling, BlocksOfAPermutedArrayStayWhereTheyAre) {
    const Distribution block({Layout::block, 4000}, 4);
    const Relabelling found = relabelled({block, {3, 1, 0, 2}}, {block, {0, 1, 2, 3}});
    EXPECT_EQ(found.ranks, (std::vector<int>{3, 1, 0, 2}));
    EXPECT_EQ(found.stays, 4000);
}

}
}
