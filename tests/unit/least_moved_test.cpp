// SPDX-License-Identifier: BSD-3-Clause
#include "resize_case.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace nereus::plan {
namespace {

constexpr int most_processes = 6; // all numberings are tried: 720 of them

Part both(const Part &before, const Part &after) {
    Part shared;
    std::ranges::set_intersection(before, after, std::back_inserter(shared));
    return shared;
}

/// Elements that arrive from elsewhere when process `numbering[d]` is drain d.
std::int64_t moved_with(const ResizeCase &resize, const std::vector<int> &numbering) {
    std::int64_t moved = 0;
    for (int drain = 0; drain < resize.sizes.drains; ++drain) {
        const int process = numbering[static_cast<std::size_t>(drain)];
        moved += count_of(resize.after(drain));
        if (process < resize.sizes.sources) moved -= count_of(both(resize.before(process), resize.after(drain)));
    }
    return moved;
}

std::int64_t best_of_all_numberings(const ResizeCase &resize) {
    std::vector<int> numbering(static_cast<std::size_t>(std::max(resize.sizes.sources, resize.sizes.drains)));
    std::iota(numbering.begin(), numbering.end(), 0);
    std::int64_t least = INT64_MAX;
    do least = std::min(least, moved_with(resize, numbering));
    while (std::next_permutation(numbering.begin(), numbering.end()));
    return least;
}

std::int64_t moved_by_the_plan(const ResizeCase &resize) {
    std::int64_t moved = 0;
    for (const Place &place : resize.places())
        for (const Piece &piece : resize.move(place).sends) moved += piece.count();
    return moved;
}

RC_GTEST_PROP(LeastMoved, IsTheBestOfAllNumberingsOfTheDrains, ()) {
    ResizeCase resize = any_resize(most_processes);
    resize.sizes.anew = false;
    RC_ASSERT(least_moved(resize.layout, resize.elements, resize.sizes) == best_of_all_numberings(resize));
}

RC_GTEST_PROP(LeastMoved, IsNeverMoreThanWhatThePlanMoves, ()) {
    const ResizeCase resize = any_resize(40, 2000);
    RC_ASSERT(least_moved(resize.layout, resize.elements, resize.sizes) <= moved_by_the_plan(resize));
}

RC_GTEST_PROP(LeastMoved, IsAllThatDrainsHoldWhenNoSourceGoesOn, ()) {
    ResizeCase resize = any_resize();
    resize.sizes.anew = true;
    RC_ASSERT(least_moved(resize.layout, resize.elements, resize.sizes) == moved_by_the_plan(resize));
}

RC_GTEST_PROP(LeastMoved, IsTheSameThereAndBackForBlocks, ()) {
    const ResizeCase resize = any_resize(40, 2000);
    const Sizes back{resize.sizes.drains, resize.sizes.sources, resize.sizes.anew};
    RC_ASSERT(least_moved(Layout::block, resize.elements, resize.sizes) ==
              least_moved(Layout::block, resize.elements, back));
}

TEST(LeastMoved, HalfOfTheDataStaysFromTwoToFourAndBack) {
    EXPECT_EQ(least_moved(Layout::block, 1000, {2, 4, false}), 500);
    EXPECT_EQ(least_moved(Layout::block, 1000, {4, 2, false}), 500);
}

}
}
