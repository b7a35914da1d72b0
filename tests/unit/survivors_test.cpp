// SPDX-License-Identifier: BSD-3-Clause
#include "plan/survivors.hpp"

#include "plan/matching.hpp"
#include "plan/world_selection.hpp"
#include "resize_case.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace nereus::plan {
namespace {

constexpr int most_processes = 8; // of 7! = 5040 numberings, since source 0 stays drain 0

/// Some arrays of any layouts over one job, and where its processes come from.
struct Job {
    int sources = *rc::gen::inRange(1, most_processes + 1);
    int drains = *rc::gen::inRange(1, most_processes + 1);
    std::vector<LocalSizes> arrays = any_arrays();
    std::vector<World> worlds = any_worlds();

    Sizes sizes(std::vector<int> kept) const { return {sources, drains, false, std::move(kept)}; }

    std::vector<LocalSizes> any_arrays() const {
        std::vector<LocalSizes> all;
        for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
            const Shape shape = any_shape(60);
            const auto extent = *rc::gen::inRange<std::int64_t>(1, 25);
            if (*rc::gen::inRange(0, 3) == 0) { // worlds that want the same drains
                all.push_back({any_borders(shape.elements, sources), any_borders(shape.elements, drains), extent});
                continue;
            }
            const bool halo = shape.layout == Layout::block && *rc::gen::arbitrary<bool>();
            all.push_back(
                {Distribution{shape, sources}.with_halo(halo), Distribution{shape, drains}.with_halo(halo), extent});
        }
        return all;
    }
    std::vector<World> any_worlds() const {
        const auto most = *rc::gen::inRange<World>(1, 9);
        return *rc::gen::container<std::vector<World>>(static_cast<std::size_t>(sources),
                                                       rc::gen::inRange<World>(0, most));
    }
};

/// Bytes that arrive from elsewhere when source s goes on as drain d: all that is not in the part of s.
std::int64_t arriving(const LocalSizes &array, int source, int drain) {
    Part before = source < 0 ? Part{} : part_of(array.before, source), after = part_of(array.after, drain), missing;
    std::ranges::sort(before);
    std::ranges::sort(after);
    std::ranges::set_difference(after, before, std::back_inserter(missing));
    return count_of(missing) * array.extent;
}

/// For all pairs; row -1 is a newcomer.
class Arriving {
public:
    explicit Arriving(const Job &job) : drains_(job.drains) {
        for (int source = -1; source < job.sources; ++source)
            for (int drain = 0; drain < drains_; ++drain) {
                bytes_.push_back(0);
                for (const LocalSizes &array : job.arrays) bytes_.back() += arriving(array, source, drain);
            }
    }
    std::int64_t with(const std::vector<int> &kept) const {
        std::int64_t sum = 0;
        for (int drain = 0; drain < drains_; ++drain)
            sum += bytes_[static_cast<std::size_t>((kept[static_cast<std::size_t>(drain)] + 1) * drains_ + drain)];
        return sum;
    }

private:
    int drains_;
    std::vector<std::int64_t> bytes_;
};

std::vector<int> numbering(const Job &job, const Selection &choice) {
    std::vector<int> kept;
    for (int drain = 0; drain < job.drains; ++drain)
        kept.push_back(job.sizes(choice.kept).source_at(drain).value_or(-1));
    return kept;
}

std::int64_t exits(const Job &job, const std::vector<int> &kept) {
    return std::ranges::count(fates(job.worlds, job.sizes(kept)), Fate::exits);
}

struct Best {
    std::int64_t exits = -1, bytes = 0;
};

/// Of all ways in which as many go on as can, and source 0 as drain 0; fewest bytes first, or most exits first.
Best best_of_all(const Job &job, bool exits_first) {
    const Arriving arriving(job);
    std::vector<int> order(static_cast<std::size_t>(std::max(job.sources, job.drains)));
    std::iota(order.begin(), order.end(), 0);
    Best best;
    do {
        std::vector<int> kept(order.begin(), order.begin() + job.drains);
        for (int &source : kept)
            if (source >= job.sources) source = -1;
        const Best found{exits_first ? exits(job, kept) : 0, arriving.with(kept)};
        if (found.exits > best.exits || (found.exits == best.exits && found.bytes < best.bytes)) best = found;
    } while (std::next_permutation(order.begin() + 1, order.end()));
    return best;
}

bool is_a_numbering(const Job &job, const std::vector<int> &kept) {
    std::vector<int> sources;
    for (const int source : kept)
        if (source >= 0) sources.push_back(source);
    std::ranges::sort(sources);
    const bool once = std::ranges::adjacent_find(sources) == sources.end();
    return once && kept[0] == 0 && static_cast<int>(sources.size()) == std::min(job.sources, job.drains) &&
           (sources.empty() || sources.back() < job.sources);
}

RC_GTEST_PROP(Survivors, NoOtherNumberingKeepsMoreBytes, ()) {
    const Job job;
    const Selection choice =
        choose_survivors(job.sources, job.drains, job.arrays, Survivors::least_movement, job.worlds);
    const std::vector<int> kept = numbering(job, choice);
    RC_ASSERT(choice.best);
    RC_ASSERT(is_a_numbering(job, kept));
    RC_ASSERT(Arriving(job).with(kept) == best_of_all(job, false).bytes);
}

RC_GTEST_PROP(Survivors, AsManyExitAsCanAndOfThoseChoicesNoneKeepsMoreBytes, ()) {
    const Job job;
    const Selection choice = choose_survivors(job.sources, job.drains, job.arrays, Survivors::automatic, job.worlds);
    const std::vector<int> kept = numbering(job, choice);
    const Best best = best_of_all(job, true);
    RC_ASSERT(choice.best);
    RC_ASSERT(is_a_numbering(job, kept));
    RC_ASSERT(exits(job, kept) == best.exits);
    RC_ASSERT(Arriving(job).with(kept) == best.bytes);
}

RC_GTEST_PROP(Survivors, TheUsualNumberingIsKeptWhereItIsAsGood, ()) {
    const Job job;
    const Selection choice =
        choose_survivors(job.sources, job.drains, job.arrays, Survivors::least_movement, job.worlds);
    if (!choice.kept.empty())
        RC_ASSERT(Arriving(job).with(choice.kept) < Arriving(job).with(numbering(job, {{}, true})));
}

RC_GTEST_PROP(LeastMoved, IsTheBestOfAllNumberingsOfTheDrains, ()) {
    const Job job;
    RC_ASSERT(least_moved(job.arrays, job.sizes({})) == best_of_all(job, false).bytes);
}

RC_GTEST_PROP(LeastMoved, IsAllThatDrainsHoldWhenNoSourceGoesOn, ()) {
    const Job job;
    const std::vector<int> nobody(static_cast<std::size_t>(job.drains), -1);
    RC_ASSERT(least_moved(job.arrays, {job.sources, job.drains, true}) == Arriving(job).with(nobody));
}

RC_GTEST_PROP(LeastMoved, IsNeverMoreThanWhatThePlanMoves, ()) {
    ResizeCase resize = any_resize(40, 2000);
    if (!resize.sizes.kept.empty() && resize.sizes.kept[0] != 0) resize.sizes.kept.clear();
    std::int64_t moved = 0;
    for (const Place &place : resize.places())
        for (const Piece &piece : resize.move(place).sends) moved += piece.count();
    const std::int64_t least = least_moved({{resize.cut_before, resize.cut_after, 1}}, resize.sizes);
    RC_ASSERT(least == moved || (!resize.sizes.anew && least < moved));
}

std::vector<LocalSizes> blocks(std::int64_t elements, int sources, int drains) {
    return {{{Layout::block, elements, sources}, {Layout::block, elements, drains}, 1}};
}

RC_GTEST_PROP(LeastMoved, IsTheSameThereAndBackForBlocks, ()) {
    const auto processes = rc::gen::inRange(1, 60);
    const int sources = *processes, drains = *processes;
    const auto elements = *rc::gen::inRange<std::int64_t>(0, 2000);
    RC_ASSERT(least_moved(blocks(elements, sources, drains), {sources, drains, false}) ==
              least_moved(blocks(elements, drains, sources), {drains, sources, false}));
}

TEST(LeastMoved, HalfOfTheDataStaysFromTwoToFourAndBack) {
    EXPECT_EQ(least_moved(blocks(1000, 2, 4), {2, 4, false}), 500);
    EXPECT_EQ(least_moved(blocks(1000, 4, 2), {4, 2, false}), 500);
}

TEST(Survivors, EverySecondSourceGoesOnWhenBlocksDoubleAndTheOthersLeave) {
    const auto arrays = blocks(1000, 4, 2);
    const std::vector<World> worlds{1, 1, 2, 2};
    EXPECT_EQ(choose_survivors(4, 2, arrays, Survivors::least_movement, worlds).kept, (std::vector<int>{0, 2}));
    EXPECT_TRUE(choose_survivors(4, 2, arrays, Survivors::first, worlds).kept.empty());
    EXPECT_TRUE(choose_survivors(4, 2, arrays, Survivors::automatic, worlds).kept.empty()); // world 2 exits
}

/// In order of sources, then drains.
std::vector<Overlap> any_pairs(int most) {
    std::vector<Overlap> pairs;
    const auto bytes =
        rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 10), rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 52));
    const int sources = *rc::gen::inRange(1, most), drains = *rc::gen::inRange(1, most),
              of_10 = *rc::gen::inRange(1, 11);
    for (int source = 0; source < sources; ++source)
        for (int drain = 0; drain < drains; ++drain)
            if (*rc::gen::inRange(0, 10) < of_10) pairs.push_back({source, drain, *bytes});
    return pairs;
}

RC_GTEST_PROP(Matching, AJobTooLargeForProofGetsAChoiceThatIsAllowedAndSaysSo, ()) {
    const std::vector<Overlap> pairs = any_pairs(9);
    const Matching best = heaviest_matching(pairs), given_up = heaviest_matching(pairs, 0);
    RC_ASSERT(best.best);
    RC_ASSERT(given_up.best == std::ranges::is_sorted(pairs, {}, &Overlap::drain));
    RC_ASSERT(given_up.bytes() <= best.bytes());
    std::vector<int> sources, drains;
    for (const Overlap &pair : given_up.pairs) {
        RC_ASSERT(std::ranges::count(pairs, pair) == 1);
        sources.push_back(pair.source);
        drains.push_back(pair.drain);
    }
    RC_ASSERT(std::ranges::adjacent_find(sources, std::greater_equal<>()) == sources.end());
    RC_ASSERT(std::ranges::adjacent_find(drains, std::greater_equal<>()) == drains.end());
}

/// Worlds of a few processes, or of a few times as many.
std::vector<LeavingWorld> any_leaving_worlds() {
    const int times = *rc::gen::inRange(1, 4);
    std::vector<LeavingWorld> worlds;
    for (int i = *rc::gen::inRange(0, 9); i > 0; --i)
        worlds.push_back({times * *rc::gen::inRange(1, 6), *rc::gen::inRange<std::int64_t>(0, 50)});
    return worlds;
}

struct Lost {
    int processes = 0;
    std::int64_t use = 0;
};

Lost lost_with(const std::vector<LeavingWorld> &worlds, const LeavingWorlds::Leaves &leaves) {
    Lost lost;
    for (std::size_t i = 0; i < worlds.size(); ++i)
        if (leaves[i]) lost = {lost.processes + worlds[i].processes, lost.use + worlds[i].use};
    return lost;
}

std::vector<LeavingWorlds::Leaves> all_sets(std::size_t worlds) {
    std::vector<LeavingWorlds::Leaves> sets;
    for (unsigned set = 0; set < 1u << worlds; ++set) {
        auto &leaves = sets.emplace_back();
        for (std::size_t i = 0; i < worlds; ++i) leaves.push_back((set >> i & 1u) != 0);
    }
    return sets;
}

RC_GTEST_PROP(Leaving, EachSetOfWorldsWithWhichMostLeaveIsTriedOnce, ()) {
    const std::vector<LeavingWorld> worlds = any_leaving_worlds();
    const int leave = *rc::gen::inRange(0, 40);
    const LeavingWorlds leaving(worlds, leave);
    std::vector<LeavingWorlds::Leaves> tried, wanted;
    leaving.each([&](const LeavingWorlds::Leaves &leaves) { return tried.push_back(leaves), true; });
    for (const auto &leaves : all_sets(worlds.size())) {
        const int processes = lost_with(worlds, leaves).processes;
        RC_ASSERT(processes > leave || processes <= leaving.most());
        if (processes == leaving.most()) wanted.push_back(leaves);
    }
    std::ranges::sort(tried);
    std::ranges::sort(wanted);
    RC_ASSERT(tried == wanted);
}

RC_GTEST_PROP(Leaving, OfTheSetsWithWhichMostLeaveNoneLosesLess, ()) {
    const std::vector<LeavingWorld> worlds = any_leaving_worlds();
    const LeavingWorlds leaving(worlds, *rc::gen::inRange(0, 40));
    const Lost lost = lost_with(worlds, leaving.of_least_use());
    RC_ASSERT(lost.processes == leaving.most());
    for (const auto &leaves : all_sets(worlds.size()))
        if (lost_with(worlds, leaves).processes == leaving.most()) RC_ASSERT(lost_with(worlds, leaves).use >= lost.use);
}

TEST(Leaving, WorldsTooManyToSearchLeaveWhileTheyCan) {
    std::vector<LeavingWorld> worlds(200000, {2, 1});
    worlds.push_back({1, 1});
    const LeavingWorlds leaving(worlds, 100001);
    EXPECT_FALSE(leaving.searched());
    EXPECT_EQ(lost_with(worlds, leaving.of_least_use()).processes, 100001);
}

}
}
