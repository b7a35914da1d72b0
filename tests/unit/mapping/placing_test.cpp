// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: a process, or its data, when ranks are put in another order over the hosts.
#include "plan/rank_reordering.hpp"
#include "problem_case.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

using nereus::at;
using namespace nereus::plan;
using namespace nereus::plan::mapping;

namespace {

HostNumbers any_hosts(int ranks) { return *rc::gen::container<HostNumbers>(at(ranks), rc::gen::inRange(0, 4)); }

std::multiset<int> counts(const HostNumbers &hosts) { return {hosts.begin(), hosts.end()}; }

/// Sizes with processes on hosts; in a shrink the last sources leave.
struct Case {
    Sizes sizes;
    HostNumbers of_sources, of_newcomers;

    HostNumbers usually() const {
        HostNumbers hosts;
        if (!sizes.anew) hosts.assign(of_sources.begin(), of_sources.begin() + sizes.staying());
        hosts.insert(hosts.end(), of_newcomers.begin(), of_newcomers.end());
        return hosts;
    }
};

Case any_case() {
    Sizes sizes{*rc::gen::inRange(1, 9), *rc::gen::inRange(1, 9), *rc::gen::arbitrary<bool>()};
    return {sizes, any_hosts(sizes.sources), any_hosts(sizes.newcomers())};
}

/// Each source with the drains whose elements it has of `elements` in blocks.
std::vector<nereus::plan::Overlap> overlaps(const Sizes &sizes) {
    std::vector<nereus::plan::Overlap> pairs;
    for (int source = 0; source < sizes.sources; ++source)
        for (int drain = 0; drain < sizes.drains; ++drain) {
            const int from = std::max(source * sizes.drains, drain * sizes.sources);
            const int to = std::min((source + 1) * sizes.drains, (drain + 1) * sizes.sources);
            if (to > from) pairs.push_back({source, drain, to - from});
        }
    return pairs;
}

}

RC_GTEST_PROP(Placing, HostsHaveAsManyRanksAndRankZeroStays, ()) {
    const int ranks = *rc::gen::inRange(1, 12);
    const Traffic traffic = any_traffic(ranks);
    const HostNumbers usual = any_hosts(ranks), placed = placed_by(traffic, usual);
    RC_ASSERT(counts(placed) == counts(usual));
    RC_ASSERT(placed.front() == usual.front());
    RC_ASSERT(between_hosts(traffic, placed) <= between_hosts(traffic, usual));
}

RC_GTEST_PROP(Placing, NoOrderOfTheRanksHasLessBetweenHostsThanTheLeastThatIsShown, ()) {
    const int ranks = *rc::gen::inRange(1, 9);
    const Traffic traffic = any_traffic(ranks);
    HostNumbers hosts = any_hosts(ranks);
    const double least = least_between_hosts(traffic, hosts);
    std::ranges::sort(hosts);
    do RC_ASSERT(between_hosts(traffic, hosts) >= least);
    while (std::ranges::next_permutation(hosts).found);
}

TEST(Placing, OrdersThatCannotBeBetteredAreShownToBeTheLeast) {
    const HostNumbers hosts{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, unlike{0, 0, 0, 1, 1, 2};
    const Traffic uniform = traffic_of_blocks(1, 12, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    EXPECT_EQ(least_between_hosts(uniform, hosts), between_hosts(uniform, hosts));
    const Traffic blocks = traffic_of_blocks(3, 4, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    EXPECT_EQ(least_between_hosts(blocks, hosts), 0);
    const Traffic few = traffic_of_blocks(1, 6, {0, 1, 2, 3, 4, 5});
    EXPECT_EQ(least_between_hosts(few, unlike), between_hosts(few, unlike));
}

RC_GTEST_PROP(Placing, EachDrainIsOneProcessOfItsHost, ()) {
    const Case given = any_case();
    const HostNumbers usual = given.usually();
    const HostNumbers wanted = placed_by(any_traffic(given.sizes.drains), usual);
    const Sizes ordered = with_order(given.sizes, overlaps(given.sizes), given.of_sources, given.of_newcomers, wanted);
    std::set<int> taken;
    for (int drain = 0; drain < ordered.drains; ++drain)
        if (const auto source = ordered.source_at(drain)) {
            RC_ASSERT(given.of_sources[at(*source)] == wanted[at(drain)]);
            RC_ASSERT(taken.insert(drain).second);
        }
    RC_ASSERT(ordered.newcomers() == given.sizes.newcomers());
    for (int newcomer = 0; newcomer < ordered.newcomers(); ++newcomer) {
        const int drain = ordered.drain_of_newcomer(newcomer);
        RC_ASSERT(given.of_newcomers[at(newcomer)] == wanted[at(drain)]);
        RC_ASSERT(taken.insert(drain).second);
    }
    RC_ASSERT(std::ssize(taken) == ordered.drains);
    const bool rank_zero_stays = given.sizes.anew ? ordered.drain_of_newcomer(0) == 0 : ordered.source_at(0) == 0;
    RC_ASSERT(rank_zero_stays);
}

RC_GTEST_PROP(Placing, WhoGoesOnStaysTheSame, ()) {
    const Case given = any_case();
    const HostNumbers wanted = placed_by(any_traffic(given.sizes.drains), given.usually());
    const Sizes ordered = with_order(given.sizes, overlaps(given.sizes), given.of_sources, given.of_newcomers, wanted);
    RC_ASSERT(ordered.going_on() == given.sizes.going_on());
}

RC_GTEST_PROP(Placing, SetsOfRanksComeToHostsThatHaveMoreOfTheirDataAndGoNoMoreBetweenHosts, ()) {
    const Case given = any_case();
    const Traffic traffic = any_traffic(given.sizes.drains);
    const HostNumbers usual = given.usually(), placed = placed_by(traffic, usual);
    const auto shared = overlaps(given.sizes);
    const HostNumbers moved = with_least_moved(placed, shared, given.of_sources);
    RC_ASSERT(counts(moved) == counts(usual));
    RC_ASSERT(moved.front() == usual.front());
    RC_ASSERT(between_hosts(traffic, moved) == between_hosts(traffic, placed));
    RC_ASSERT(moved_between_hosts(shared, given.of_sources, moved) <=
              moved_between_hosts(shared, given.of_sources, placed));
}

TEST(Placing, NewcomersThatCameBesideEachSourceContinueItsRow) {
    std::vector<mapping::Pair> pairs;
    for (int rank = 0; rank < 5; ++rank) pairs.push_back({rank, rank + 1, 100});
    const Traffic traffic(6, pairs);
    const HostNumbers usual{0, 1, 2, 0, 1, 2}, placed = placed_by(traffic, usual);
    EXPECT_EQ(between_hosts(traffic, usual), 500);
    EXPECT_EQ(between_hosts(traffic, placed), 200);
}

TEST(Placing, TilesOfAPlateAreFoundThatWasDealtOutOverManyHosts) {
    const int side = 36, hosts = 36; // 1296 ranks
    std::vector<mapping::Pair> pairs;
    HostNumbers dealt, tiled;
    for (int rank = 0; rank < side * side; ++rank) {
        if ((rank + 1) % side != 0) pairs.push_back({rank, rank + 1, 1});
        if (rank + side < side * side) pairs.push_back({rank, rank + side, 1});
        dealt.push_back(rank % hosts);
        tiled.push_back(rank / side / 6 * 6 + rank % side / 6);
    }
    const Traffic traffic(side * side, pairs);
    const HostNumbers placed = placed_by(traffic, dealt);
    EXPECT_EQ(placed.front(), dealt.front());
    EXPECT_EQ(counts(placed), counts(dealt));
    EXPECT_LT(between_hosts(traffic, placed), 1.5 * between_hosts(traffic, tiled));
}

TEST(Placing, SourcesKeepTheirDataWhereTheOrderOfHostsAllowsIt) {
    const Sizes sizes{3, 6, false};
    const HostNumbers of_sources{0, 1, 2}, of_newcomers{0, 1, 2}, wanted{0, 0, 1, 1, 2, 2};
    const Sizes ordered = with_order(sizes, overlaps(sizes), of_sources, of_newcomers, wanted);
    EXPECT_EQ(moved_between_hosts(overlaps(sizes), of_sources, wanted), 0);
    EXPECT_EQ(ordered.kept, (std::vector<int>{0, -1, 1, -1, 2, -1}));
    EXPECT_EQ(ordered.newcomers_as, (std::vector<int>{1, 3, 5}));
}
