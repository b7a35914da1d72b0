// SPDX-License-Identifier: BSD-3-Clause
#include "plan/release.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::plan {
namespace {

/// A shrink of a job whose ranks come from a few worlds, in any mixture.
struct Shrink {
    std::vector<World> worlds =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<World>>(rc::gen::inRange<World>(1, 5)));
    int staying = *rc::gen::inRange(0, static_cast<int>(worlds.size()) + 1);

    bool goes_on(World world) const { return std::count(worlds.begin(), worlds.begin() + staying, world) > 0; }
};

RC_GTEST_PROP(Release, EveryRankBelowTheNewSizeStaysAndNoOther, ()) {
    const Shrink shrink;
    const auto found = fates(shrink.worlds, shrink.staying);
    RC_ASSERT(found.size() == shrink.worlds.size());
    for (std::size_t rank = 0; rank < found.size(); ++rank)
        RC_ASSERT((found[rank] == Fate::stays) == (rank < static_cast<std::size_t>(shrink.staying)));
}

RC_GTEST_PROP(Release, NobodyExitsWhoseWorldGoesOn, ()) {
    const Shrink shrink;
    const auto found = fates(shrink.worlds, shrink.staying);
    for (std::size_t rank = 0; rank < found.size(); ++rank)
        if (found[rank] == Fate::exits) RC_ASSERT(!shrink.goes_on(shrink.worlds[rank]));
}

RC_GTEST_PROP(Release, NobodySleepsWhoseWorldCanEnd, ()) {
    const Shrink shrink;
    const auto found = fates(shrink.worlds, shrink.staying);
    for (std::size_t rank = 0; rank < found.size(); ++rank)
        if (found[rank] == Fate::parks) RC_ASSERT(shrink.goes_on(shrink.worlds[rank]));
}

RC_GTEST_PROP(Release, AWorldLeavesAsAWhole, ()) {
    const Shrink shrink;
    const auto found = fates(shrink.worlds, shrink.staying);
    for (std::size_t a = 0; a < found.size(); ++a)
        for (std::size_t b = 0; b < found.size(); ++b)
            if (shrink.worlds[a] == shrink.worlds[b] && found[a] == Fate::exits) RC_ASSERT(found[b] == Fate::exits);
}

RC_GTEST_PROP(Release, ASleeperEndsExactlyWhenNobodyOfItsWorldGoesOn, ()) {
    const Shrink shrink;
    const auto sleepers = *rc::gen::container<std::vector<World>>(rc::gen::inRange<World>(1, 8));
    const auto ends = may_end(sleepers, shrink.worlds, shrink.staying);
    RC_ASSERT(ends.size() == sleepers.size());
    for (std::size_t i = 0; i < sleepers.size(); ++i) RC_ASSERT(ends[i] == !shrink.goes_on(sleepers[i]));
}

TEST(Release, FoundersSleepWhileOneOfThemGoesOn) {
    const std::vector<World> worlds{7, 7, 7, 9};
    EXPECT_EQ(fates(worlds, 1), (std::vector<Fate>{Fate::stays, Fate::parks, Fate::parks, Fate::exits}));
}

}
}
