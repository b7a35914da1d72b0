// SPDX-License-Identifier: BSD-3-Clause
#include "shapes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::plan {
namespace {

constexpr int most_ranks = 1000000;

Layout any_ranges() { return *rc::gen::element(Layout::block, Layout::weighted); }

Distribution small_cut() { return {any_shape_of(any_ranges(), 200), *rc::gen::inRange(1, 50)}; }

int any_ranks() {
    return *rc::gen::oneOf(rc::gen::inRange(1, most_ranks + 1), rc::gen::inRange(most_ranks - 5, most_ranks + 1));
}

/// Any length; the largest ones stand out, since sums overflow there first.
std::int64_t any_elements() {
    return *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, most_elements + 1),
                           rc::gen::inRange<std::int64_t>(0, 2 * most_ranks),
                           rc::gen::inRange(most_elements - 5, most_elements + 1));
}

Shape any_huge_shape(Layout layout) {
    Shape shape{layout, any_elements()};
    if (layout == Layout::weighted)
        shape.weights = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(rc::gen::oneOf(
            rc::gen::inRange<std::int64_t>(1, most_weight + 1), rc::gen::inRange(most_weight - 2, most_weight + 1))));
    if (layout == Layout::cyclic) shape.block = std::max<std::int64_t>(1, any_elements());
    if (layout == Layout::grid) {
        shape.rows = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 31);
        shape.columns = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 31);
        shape.block_rows = std::max<std::int64_t>(1, any_elements() >> 31);
        shape.block_columns = std::max<std::int64_t>(1, any_elements() >> 31);
        shape.elements = shape.rows * shape.columns;
    }
    return shape;
}

Distribution any_cut(Layout layout = Layout::block) { return {any_huge_shape(layout), any_ranks()}; }

std::int64_t any_element_of(const Distribution &cut) {
    return *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, cut.elements()), rc::gen::just<std::int64_t>(0),
                           rc::gen::just(cut.elements() - 1));
}

int any_rank_of(const Distribution &cut) {
    return *rc::gen::oneOf(rc::gen::inRange(0, cut.ranks()), rc::gen::just(0), rc::gen::just(cut.ranks() - 1));
}

bool holds(Range range, std::int64_t element) { return range.first <= element && element < range.end; }

RC_GTEST_PROP(Distribution, BordersMakeTheSameRanges, ()) {
    const Distribution cut = small_cut();
    const std::int64_t halo = *rc::gen::inRange<std::int64_t>(0, 3);
    const std::vector<std::int64_t> borders = cut.with_halo(halo).borders();
    RC_ASSERT(check_borders(borders).has_value());
    const Distribution same = Distribution::at(borders);
    RC_ASSERT(same.ranks() == cut.ranks());
    for (int rank = 0; rank < cut.ranks(); ++rank) RC_ASSERT(same.range_of(rank) == cut.range_of(rank));
    RC_ASSERT(same.borders() == borders);
}

RC_GTEST_PROP(Distribution, EveryElementLiesInExactlyOneRange, ()) {
    const Distribution cut = small_cut();
    std::int64_t next = 0;
    for (int rank = 0; rank < cut.ranks(); ++rank) {
        RC_ASSERT(cut.range_of(rank).first == next);
        RC_ASSERT(cut.range_of(rank).count() >= 0);
        next = cut.range_of(rank).end;
    }
    RC_ASSERT(next == cut.elements());
}

RC_GTEST_PROP(Distribution, RangesOfHugeArraysTouchAndReachBothEnds, ()) {
    const Distribution cut = any_cut(any_ranges());
    const int rank = any_rank_of(cut);
    RC_ASSERT(cut.range_of(0).first == 0);
    RC_ASSERT(cut.range_of(cut.ranks() - 1).end == cut.elements());
    if (rank + 1 < cut.ranks()) RC_ASSERT(cut.range_of(rank).end == cut.range_of(rank + 1).first);
}

RC_GTEST_PROP(Distribution, NoRankHasMoreThanOneElementMoreThanAnother, ()) {
    const Distribution cut = any_cut();
    const int lower = any_rank_of(cut), higher = any_rank_of(cut);
    const auto count = cut.range_of(std::min(lower, higher)).count() - cut.range_of(std::max(lower, higher)).count();
    RC_ASSERT(count == 0 || count == 1); // the first ranks have the larger blocks
    RC_ASSERT(cut.range_of(lower).count() >= cut.elements() / cut.ranks());
}

RC_GTEST_PROP(Distribution, TheOwnerOfAnElementHasItInItsBlock, ()) {
    const Distribution cut = any_cut(any_ranges());
    RC_PRE(cut.elements() > 0);
    const auto element = any_element_of(cut);
    const int owner = cut.rank_of(element);
    RC_ASSERT(owner >= 0 && owner < cut.ranks());
    RC_ASSERT(holds(cut.range_of(owner), element));
}

RC_GTEST_PROP(Distribution, BothEndsOfABlockBelongToItsRank, ()) {
    const Distribution cut = any_cut();
    const int rank = any_rank_of(cut);
    const Range range = cut.range_of(rank);
    if (range.empty()) {
        RC_ASSERT(range == (Range{cut.elements(), cut.elements()}));
        return;
    }
    RC_ASSERT(cut.rank_of(range.first) == rank);
    RC_ASSERT(cut.rank_of(range.end - 1) == rank);
}

TEST(Distribution, MoreRanksThanElementsLeaveTheLastRanksEmpty) {
    const Distribution cut{Layout::block, 3, 5};
    EXPECT_EQ(cut.range_of(2), (Range{2, 3}));
    EXPECT_EQ(cut.range_of(3), (Range{3, 3}));
    EXPECT_EQ(cut.range_of(4), (Range{3, 3}));
}

TEST(Distribution, TheFirstRanksHaveOneElementMoreAsThePublicHeaderSays) {
    const Distribution cut{Layout::block, 11, 4};
    EXPECT_EQ(cut.range_of(0), (Range{0, 3}));
    EXPECT_EQ(cut.range_of(2), (Range{6, 9}));
    EXPECT_EQ(cut.range_of(3), (Range{9, 11}));
}

RC_GTEST_PROP(Distribution, EveryRankHoldsAllOfAReplicatedArray, ()) {
    const Distribution cut{Layout::replicated, any_elements(), any_ranks()};
    RC_ASSERT(cut.range_of(any_rank_of(cut)) == (Range{0, cut.elements()}));
}

RC_GTEST_PROP(Distribution, RanksHaveTheirShareByWeightAndLessThanOneElementMoreOrLess, ()) {
    const Shape shape = any_shape_of(Layout::weighted, 1000);
    const Distribution cut{shape, *rc::gen::inRange(1, 40)};
    std::int64_t all = 0;
    const auto weight = [&](int rank) { return shape.weights[static_cast<std::size_t>(rank) % shape.weights.size()]; };
    for (int rank = 0; rank < cut.ranks(); ++rank) all += weight(rank);
    for (int rank = 0; rank < cut.ranks(); ++rank)
        RC_ASSERT(std::abs(cut.count_of(rank) * all - shape.elements * weight(rank)) < all);
}

RC_GTEST_PROP(Distribution, EqualWeightsAndBordersAtTheBlocksAreAsGoodAsBlocks, ()) {
    const auto elements = *rc::gen::inRange<std::int64_t>(0, 100);
    const auto ranks = *rc::gen::inRange(1, 20);
    std::vector<std::int64_t> borders;
    for (int rank = 0; rank < ranks; ++rank)
        borders.push_back(Distribution{Layout::block, elements, ranks}.range_of(rank).first);
    borders.push_back(elements);
    RC_ASSERT(check_borders(borders).has_value());
    for (int rank = 0; rank < ranks; ++rank)
        RC_ASSERT(Distribution::at(borders).range_of(rank) ==
                  (Distribution{Layout::block, elements, ranks}.range_of(rank)));
    if (elements % ranks == 0)
        RC_ASSERT((Distribution{Shape{Layout::weighted, elements, {3}}, ranks}.range_of(ranks - 1).first ==
                   borders[ranks - 1]));
}

RC_GTEST_PROP(Distribution, EachElementLiesWhereItsOwnerIsTold, ()) {
    const Shape shape = any_shape(150);
    const Distribution cut{shape, *rc::gen::inRange(1, 20)};
    RC_PRE(shape.layout != Layout::replicated);
    std::int64_t seen = 0;
    for (int rank = 0; rank < cut.ranks(); ++rank) {
        const Part part = part_of(cut, rank);
        RC_ASSERT(cut.count_of(rank) == count_of(part));
        for (std::int64_t place = 0; place < count_of(part); ++place, ++seen)
            RC_ASSERT(cut.place_of(part[static_cast<std::size_t>(place)]) == (Spot{rank, place}));
    }
    RC_ASSERT(seen == shape.elements);
}

RC_GTEST_PROP(Distribution, PlacesInHugeArraysLieInTheParts, ()) {
    const Distribution cut = any_cut(*rc::gen::element(Layout::weighted, Layout::cyclic, Layout::grid));
    RC_PRE(cut.elements() > 0);
    const Spot spot = cut.place_of(any_element_of(cut));
    RC_ASSERT(spot.rank >= 0 && spot.rank < cut.ranks());
    RC_ASSERT(spot.place >= 0 && spot.place < cut.count_of(spot.rank));
}

RC_GTEST_PROP(Distribution, WhoOwnsOrHoldsARangeIsFoundWithoutAskingAll, ()) {
    const auto ranks = *rc::gen::inRange(1, 12);
    const auto halo = *rc::gen::inRange<std::int64_t>(0, 9);
    const Distribution cut =
        (*rc::gen::arbitrary<bool>() ? any_borders(40, ranks) : Distribution{any_shape_of(any_ranges(), 40), ranks})
            .with_halo(halo);
    const auto end = *rc::gen::inRange<std::int64_t>(0, cut.elements() + 1);
    const Range range{*rc::gen::inRange<std::int64_t>(0, end + 1), end};
    std::vector<int> owners, holders;
    for (int rank = 0; rank < ranks; ++rank) {
        if (!overlap(cut.owned_by(rank), range).empty()) owners.push_back(rank);
        if (!overlap(cut.range_of(rank), range).empty()) holders.push_back(rank);
    }
    RC_ASSERT(cut.owners_of(range) == owners);
    RC_ASSERT(cut.holders_of(range) == holders);
}

TEST(Distribution, EachRankHasOneRowStartMoreThanRows) {
    const Distribution rows{Layout::block, 5, 3}, starts = rows.with_halo(1);
    EXPECT_EQ(starts.elements(), 6);
    EXPECT_EQ(starts.range_of(0), (Range{0, 3}));
    EXPECT_EQ(starts.owned_by(0), (Range{0, 2}));
    EXPECT_EQ(starts.range_of(2), (Range{4, 6}));
    EXPECT_EQ(starts.owned_by(2), (Range{4, 6}));
    EXPECT_EQ(Distribution(Layout::block, 1, 3).with_halo(1).range_of(2), (Range{1, 2}));
}

TEST(Distribution, GridsAreAsSquareAsTheirRanksAllow) {
    EXPECT_EQ(grid_of(1), (Grid{1, 1}));
    EXPECT_EQ(grid_of(6), (Grid{2, 3}));
    EXPECT_EQ(grid_of(7), (Grid{1, 7}));
    EXPECT_EQ(grid_of(16), (Grid{4, 4}));
    EXPECT_EQ(grid_of(INT32_MAX), (Grid{1, INT32_MAX})); // a prime
}

TEST(Distribution, AGridHasTheRowsAndColumnsThatAreAskedFor) {
    const auto grid_for = [](int rows, int columns, int ranks) {
        return grid_of(Shape{.layout = Layout::grid, .grid_rows = rows, .grid_columns = columns}, ranks);
    };
    EXPECT_EQ(grid_for(0, 0, 6), (Grid{2, 3}));
    EXPECT_EQ(grid_for(3, 0, 6), (Grid{3, 2}));
    EXPECT_EQ(grid_for(0, 1, 6), (Grid{6, 1}));
    EXPECT_EQ(grid_for(6, 1, 6), (Grid{6, 1}));
}

TEST(Distribution, AMatrixIsDealtAsInTheScaLapackUsersGuide) {
    // Figure 4.5 there: 9 x 9 in blocks of 2 x 2 over 2 x 3 processes
    const Distribution cut{Shape{Layout::grid, 81, {}, 1, 9, 9, 2, 2}, 6};
    const std::vector<std::int64_t> counts{20, 15, 10, 16, 12, 8};
    for (int rank = 0; rank < 6; ++rank) EXPECT_EQ(cut.count_of(rank), counts[static_cast<std::size_t>(rank)]);
    EXPECT_EQ(cut.place_of(2 * 9 + 2), (Spot{4, 0}));
    EXPECT_EQ(cut.place_of(0 * 9 + 6), (Spot{0, 2}));
    EXPECT_EQ(cut.place_of(8 * 9 + 8), (Spot{1, 14}));
}

std::string why_not(const Shape &shape) {
    const Done done = check(shape);
    return done ? "" : done.error().what;
}

TEST(Shape, WhatIsWrongIsSaidWithWhatIsAllowed) {
    EXPECT_EQ(why_not({Layout::block, -1}), "elements = -1: allowed is 0 .. 4611686018427387904");
    EXPECT_EQ(why_not({Layout::weighted, 5}), "weights = none: a weighted layout needs at least 1");
    EXPECT_EQ(why_not({Layout::weighted, 5, {2, 0}}), "weights[1] = 0: allowed is 1 .. 2147483647");
    EXPECT_EQ(why_not({Layout::cyclic, 5, {}, 0}), "block = 0: allowed is 1 .. 4611686018427387904");
    EXPECT_EQ(why_not({Layout::grid, 5, {}, 1, 2, 3}), "elements = 5: a matrix of 2 x 3 has 6");
    EXPECT_EQ(why_not({Layout::grid, 6, {}, 1, 2, 3, 1, 0}), "block_columns = 0: allowed is 1 .. 4611686018427387904");
    EXPECT_EQ(why_not({Layout::grid, 0, {}, 1, most_elements, 3}),
              "rows x columns = 4611686018427387904 x 3: allowed are 4611686018427387904 elements at most");
    EXPECT_NE(why_not({static_cast<Layout>(99), 5}), "");
}

std::string why_not_over(int ranks, int grid_rows, int grid_columns) {
    const Done done = check(Shape{.layout = Layout::grid, .grid_rows = grid_rows, .grid_columns = grid_columns}, ranks);
    return done ? "" : done.error().what;
}

TEST(Shape, ProcessesMustFillTheGrid) {
    EXPECT_EQ(why_not_over(6, 3, 2), "");
    EXPECT_EQ(why_not_over(6, 0, 3), "");
    EXPECT_EQ(why_not_over(6, 4, 0),
              "grid_rows, grid_columns = 4, 0: allowed are numbers that divide 6, the processes, or 0");
    EXPECT_EQ(why_not_over(2, 0, 3),
              "grid_rows, grid_columns = 0, 3: allowed are numbers that divide 2, the processes, or 0");
    EXPECT_EQ(why_not_over(6, 3, 3),
              "grid_rows, grid_columns = 3, 3: allowed are numbers with the product 6, the processes, or 0");
    EXPECT_EQ(why_not_over(6, 65536, 65536).substr(0, 38), "grid_rows, grid_columns = 65536, 65536");
    EXPECT_EQ(why_not_over(6, -1, 0), "grid_rows = -1: allowed is 0 .. 2147483647");
}

TEST(Shape, AJobsGridCanHaveOneRowOrOneColumn) {
    const auto fits_all = [](int rows, int columns) {
        return check_for_all_sizes(Shape{.layout = Layout::grid, .grid_rows = rows, .grid_columns = columns})
            .has_value();
    };
    EXPECT_TRUE(fits_all(0, 0));
    EXPECT_TRUE(fits_all(1, 0));
    EXPECT_TRUE(fits_all(0, 1));
    EXPECT_FALSE(fits_all(1, 1));
    EXPECT_FALSE(fits_all(2, 0));
    EXPECT_FALSE(fits_all(0, INT32_MAX));
}

RC_GTEST_PROP(Shape, WhatCanBeCutIsAllowed, ()) {
    RC_ASSERT(why_not(any_shape(100)).empty());
    RC_ASSERT(why_not(any_huge_shape(any_layout())).empty());
}

TEST(Borders, MustBeginWithZeroAndNeverFall) {
    EXPECT_FALSE(check_borders({0}));
    EXPECT_EQ(check_borders({1, 2}).error().what, "borders[0] = 1: allowed is 0 .. 0");
    EXPECT_EQ(check_borders({0, 3, 2}).error().what, "borders[2] = 2: allowed is 3 .. 4611686018427387904");
    EXPECT_TRUE(check_borders({0, 3, 3, 7}));
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
