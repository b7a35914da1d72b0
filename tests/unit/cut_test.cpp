// SPDX-License-Identifier: BSD-3-Clause
#include "plan/cut.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::plan {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 62;
constexpr int most_ranks = 1000000;

Cut small_cut() { return {Layout::block, *rc::gen::inRange<std::int64_t>(0, 200), *rc::gen::inRange(1, 50)}; }

/// Any length and number of ranks; the largest ones stand out, since sums overflow there first.
Cut any_cut() {
    const auto elements = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, most_elements + 1),
                                          rc::gen::inRange<std::int64_t>(0, 2 * most_ranks),
                                          rc::gen::inRange(most_elements - 5, most_elements + 1));
    const auto ranks =
        *rc::gen::oneOf(rc::gen::inRange(1, most_ranks + 1), rc::gen::inRange(most_ranks - 5, most_ranks + 1));
    return {Layout::block, elements, ranks};
}

int any_rank_of(const Cut &cut) {
    return *rc::gen::oneOf(rc::gen::inRange(0, cut.ranks), rc::gen::just(0), rc::gen::just(cut.ranks - 1));
}

bool holds(Range range, std::int64_t element) { return range.first <= element && element < range.end; }

RC_GTEST_PROP(Cut, EveryElementLiesInExactlyOneBlock, ()) {
    const Cut cut = small_cut();
    std::int64_t next = 0;
    for (int rank = 0; rank < cut.ranks; ++rank) {
        RC_ASSERT(cut.range_of(rank).first == next);
        RC_ASSERT(cut.range_of(rank).count() >= 0);
        next = cut.range_of(rank).end;
    }
    RC_ASSERT(next == cut.elements);
}

RC_GTEST_PROP(Cut, BlocksOfHugeArraysTouchAndReachBothEnds, ()) {
    const Cut cut = any_cut();
    const int rank = any_rank_of(cut);
    RC_ASSERT(cut.range_of(0).first == 0);
    RC_ASSERT(cut.range_of(cut.ranks - 1).end == cut.elements);
    if (rank + 1 < cut.ranks) RC_ASSERT(cut.range_of(rank).end == cut.range_of(rank + 1).first);
}

RC_GTEST_PROP(Cut, NoRankHasMoreThanOneElementMoreThanAnother, ()) {
    const Cut cut = any_cut();
    const int lower = any_rank_of(cut), higher = any_rank_of(cut);
    const auto count = cut.range_of(std::min(lower, higher)).count() - cut.range_of(std::max(lower, higher)).count();
    RC_ASSERT(count == 0 || count == 1); // the first ranks have the larger blocks
    RC_ASSERT(cut.range_of(lower).count() >= cut.elements / cut.ranks);
}

RC_GTEST_PROP(Cut, TheOwnerOfAnElementHasItInItsBlock, ()) {
    const Cut cut = any_cut();
    RC_PRE(cut.elements > 0);
    const auto element = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, cut.elements),
                                         rc::gen::just<std::int64_t>(0), rc::gen::just(cut.elements - 1));
    const int owner = cut.rank_of(element);
    RC_ASSERT(owner >= 0 && owner < cut.ranks);
    RC_ASSERT(holds(cut.range_of(owner), element));
}

RC_GTEST_PROP(Cut, BothEndsOfABlockBelongToItsRank, ()) {
    const Cut cut = any_cut();
    const int rank = any_rank_of(cut);
    const Range range = cut.range_of(rank);
    if (range.empty()) {
        RC_ASSERT(range == (Range{cut.elements, cut.elements}));
        return;
    }
    RC_ASSERT(cut.rank_of(range.first) == rank);
    RC_ASSERT(cut.rank_of(range.end - 1) == rank);
}

TEST(Cut, MoreRanksThanElementsLeaveTheLastRanksEmpty) {
    const Cut cut{Layout::block, 3, 5};
    EXPECT_EQ(cut.range_of(2), (Range{2, 3}));
    EXPECT_EQ(cut.range_of(3), (Range{3, 3}));
    EXPECT_EQ(cut.range_of(4), (Range{3, 3}));
}

TEST(Cut, TheFirstRanksHaveOneElementMoreAsThePublicHeaderSays) {
    const Cut cut{Layout::block, 11, 4};
    EXPECT_EQ(cut.range_of(0), (Range{0, 3}));
    EXPECT_EQ(cut.range_of(2), (Range{6, 9}));
    EXPECT_EQ(cut.range_of(3), (Range{9, 11}));
}

RC_GTEST_PROP(Cut, EveryRankHoldsAllOfAReplicatedArray, ()) {
    Cut cut = any_cut();
    cut.layout = Layout::replicated;
    RC_ASSERT(cut.range_of(any_rank_of(cut)) == (Range{0, cut.elements}));
}

RC_GTEST_PROP(Range, TheOverlapHoldsWhatBothHold, ()) {
    const auto number = rc::gen::inRange<std::int64_t>(0, 12);
    const Range a{*number, *number}, b{*number, *number};
    const Range both = overlap(a, b);
    RC_ASSERT(both == overlap(b, a));
    for (std::int64_t element = 0; element < 12; ++element)
        RC_ASSERT(holds(both, element) == (holds(a, element) && holds(b, element)));
    if (both.empty()) RC_ASSERT(both == Range{});
}

}
}
