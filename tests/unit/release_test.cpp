// SPDX-License-Identifier: BSD-3-Clause
#include "plan/process_fate.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::plan {
namespace {

/// A shrink of a job whose ranks come from a few worlds, in any mixture, to any of its ranks, or to none (Baseline).
struct Shrink {
    std::vector<World> worlds =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<World>>(rc::gen::inRange<World>(1, 5)));
    Sizes sizes = any_survivors(static_cast<int>(worlds.size()));

    static Sizes any_survivors(int sources) {
        if (*rc::gen::inRange(0, 4) == 0) return {sources, 1, true};
        const int drains = *rc::gen::inRange(1, sources + 1);
        if (*rc::gen::inRange(0, 4) == 0) return {sources, drains, false};
        const auto kept =
            *rc::gen::unique<std::vector<int>>(static_cast<std::size_t>(drains), rc::gen::inRange(0, sources));
        return {sources, drains, false, kept};
    }
    bool survives(std::size_t rank) const { return sizes.drain_of(static_cast<int>(rank)).has_value(); }
    bool goes_on(World world) const {
        for (std::size_t rank = 0; rank < worlds.size(); ++rank)
            if (survives(rank) && worlds[rank] == world) return true;
        return false;
    }
};

RC_GTEST_PROP(Release, EverySurvivorStaysAndNoOther, ()) {
    const Shrink shrink;
    const auto found = fates(shrink.worlds, shrink.sizes);
    RC_ASSERT(found.size() == shrink.worlds.size());
    for (std::size_t rank = 0; rank < found.size(); ++rank)
        RC_ASSERT((found[rank] == Fate::stays) == shrink.survives(rank));
}

RC_GTEST_PROP(Release, NobodyExitsWhoseWorldGoesOn, ()) {
    const Shrink shrink;
    const auto found = fates(shrink.worlds, shrink.sizes);
    for (std::size_t rank = 0; rank < found.size(); ++rank)
        if (found[rank] == Fate::exits) RC_ASSERT(!shrink.goes_on(shrink.worlds[rank]));
}

RC_GTEST_PROP(Release, NobodySleepsWhoseWorldCanEnd, ()) {
    const Shrink shrink;
    const auto found = fates(shrink.worlds, shrink.sizes);
    for (std::size_t rank = 0; rank < found.size(); ++rank)
        if (found[rank] == Fate::parks) RC_ASSERT(shrink.goes_on(shrink.worlds[rank]));
}

RC_GTEST_PROP(Release, AWorldLeavesAsAWhole, ()) {
    const Shrink shrink;
    const auto found = fates(shrink.worlds, shrink.sizes);
    for (std::size_t a = 0; a < found.size(); ++a)
        for (std::size_t b = 0; b < found.size(); ++b)
            if (shrink.worlds[a] == shrink.worlds[b] && found[a] == Fate::exits) RC_ASSERT(found[b] == Fate::exits);
}

RC_GTEST_PROP(Release, ASleeperEndsExactlyWhenNobodyOfItsWorldGoesOn, ()) {
    const Shrink shrink;
    const auto states = *rc::gen::container<std::vector<World>>(rc::gen::inRange<World>(1, 8));
    const auto ends = may_end(states, shrink.worlds, shrink.sizes);
    RC_ASSERT(ends.size() == states.size());
    for (std::size_t i = 0; i < states.size(); ++i) RC_ASSERT(ends[i] == !shrink.goes_on(states[i]));
}

TEST(Release, FoundersSleepWhileOneOfThemGoesOn) {
    const std::vector<World> worlds{7, 7, 7, 9};
    EXPECT_EQ(fates(worlds, {4, 1, false}), (std::vector<Fate>{Fate::stays, Fate::parks, Fate::parks, Fate::exits}));
}

TEST(Release, AFounderThatGoesOnWithAnotherNumberKeepsItsWorld) {
    const std::vector<World> worlds{7, 7, 9, 9};
    EXPECT_EQ(fates(worlds, {4, 2, false, {0, 1}}),
              (std::vector<Fate>{Fate::stays, Fate::stays, Fate::exits, Fate::exits}));
    EXPECT_EQ(fates(worlds, {4, 2, false, {0, 3}}),
              (std::vector<Fate>{Fate::stays, Fate::parks, Fate::parks, Fate::stays}));
}

}
}
