// SPDX-License-Identifier: BSD-3-Clause
#include "plan/spawn_groups.hpp"

#include "base/strategies.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::plan {
namespace {

using Names = std::vector<std::string>;

struct Made {
    Names hosts = *rc::gen::container<Names>(rc::gen::element<std::string>("n1", "n2", "n3"));
    ReleaseUnit unit = *rc::gen::element(ReleaseUnit::job, ReleaseUnit::host, ReleaseUnit::rank);
    unsigned strategies = *rc::gen::inRange(0U, 2 * strategies::automatic);
    int spawners = *rc::gen::inRange(1, 12);

    std::vector<Party> parties() const { return parties_of(hosts, unit, strategies, spawners); }
    bool has(unsigned strategy) const { return (strategies & strategy) != 0; }
    std::size_t host_changes() const {
        std::size_t changes = 0;
        for (std::size_t i = 1; i < hosts.size(); ++i) changes += hosts[i] != hosts[i - 1] ? 1 : 0;
        return changes;
    }
};

RC_GTEST_PROP(Parties, EveryNewcomerIsInOnePartyOnItsHost, ()) {
    const Made made;
    Names hosts;
    for (const Party &party : made.parties())
        for (const Share &share : party.shares) hosts.insert(hosts.end(), share.ranks, share.host);
    RC_ASSERT(hosts == made.hosts);
}

RC_GTEST_PROP(Parties, NoPartyAndNoShareIsEmpty, ()) {
    const Made made;
    for (const Party &party : made.parties()) {
        RC_ASSERT(!party.shares.empty());
        int sum = 0;
        for (const Share &share : party.shares) {
            RC_ASSERT(share.ranks >= 1);
            sum += share.ranks;
        }
        RC_ASSERT(party.ranks() == sum);
    }
}

RC_GTEST_PROP(Parties, NeighbouringSharesAreOnDifferentHosts, ()) {
    const Made made;
    for (const Party &party : made.parties())
        for (std::size_t i = 1; i < party.shares.size(); ++i)
            RC_ASSERT(party.shares[i].host != party.shares[i - 1].host);
}

RC_GTEST_PROP(Parties, WhatCanLeaveAloneIsAtMostTheUnit, ()) {
    const Made made;
    const auto parties = made.parties();
    const bool by_host = made.unit == ReleaseUnit::host || made.has(strategies::multiple);
    for (const Party &party : parties) {
        if (made.unit == ReleaseUnit::rank) RC_ASSERT(party.ranks() == 1);
        if (by_host) RC_ASSERT(party.shares.size() == 1U);
    }
}

RC_GTEST_PROP(Parties, NothingIsCutThatNobodyAskedFor, ()) {
    Made made;
    made.strategies &= ~strategies::parallel;
    RC_PRE(!made.hosts.empty());
    const bool by_host = made.unit == ReleaseUnit::host || made.has(strategies::multiple);
    const std::size_t by_unit = by_host ? made.host_changes() + 1 : 1;
    RC_ASSERT(made.parties().size() == (made.unit == ReleaseUnit::rank ? made.hosts.size() : by_unit));
}

RC_GTEST_PROP(Parties, InParallelEverySpawnerHasAPartyAndNoneIsLargerThanItsEqualPart, ()) {
    Made made;
    made.strategies |= strategies::parallel;
    const auto parties = made.parties();
    const auto wanted = std::min(made.hosts.size(), static_cast<std::size_t>(made.spawners));
    RC_ASSERT(parties.size() >= wanted);
    Made alone = made;
    alone.strategies &= ~strategies::parallel;
    if (alone.parties().size() >= wanted) return RC_ASSERT(parties == alone.parties());
    for (const Party &party : parties)
        RC_ASSERT(static_cast<std::size_t>(party.ranks()) <= (made.hosts.size() + wanted - 1) / wanted);
}

TEST(Parties, WithoutNewcomersThereIsNone) {
    EXPECT_TRUE(parties_of({}, ReleaseUnit::job, strategies::parallel, 4).empty());
}

TEST(Parties, AJobIsOnePartyOverItsHosts) {
    EXPECT_EQ(parties_of({"n1", "n1", "n2"}, ReleaseUnit::job, 0, 4), (std::vector<Party>{{{{"n1", 2}, {"n2", 1}}}}));
}

TEST(Parties, AHostIsAParty) {
    const std::vector<Party> expected{{{{"n1", 2}}}, {{{"n2", 1}}}};
    EXPECT_EQ(parties_of({"n1", "n1", "n2"}, ReleaseUnit::host, 0, 4), expected);
    EXPECT_EQ(parties_of({"n1", "n1", "n2"}, ReleaseUnit::job, strategies::multiple, 4), expected);
}

TEST(Parties, InParallelPartiesAreCutAtHostsAndIntoEqualParts) {
    EXPECT_EQ(parties_of({"", "", "", "", ""}, ReleaseUnit::job, strategies::parallel, 2),
              (std::vector<Party>{{{{"", 3}}}, {{{"", 2}}}}));
    EXPECT_EQ(parties_of({"n1", "n2", "n2", "n2", "n2", "n2"}, ReleaseUnit::host, strategies::parallel, 3),
              (std::vector<Party>{{{{"n1", 1}}}, {{{"n2", 1}}}, {{{"n2", 2}}}, {{{"n2", 2}}}}));
}

}
}
