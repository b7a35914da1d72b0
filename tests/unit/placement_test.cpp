// SPDX-License-Identifier: BSD-3-Clause
#include "plan/host_allocation.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck/gtest.h>

namespace nereus {
void showValue(const Host &host, std::ostream &out) { out << host.name << ":" << host.slots; }
}

namespace nereus::plan {
namespace {

using Names = std::vector<std::string>;

std::string host_name(std::size_t number) { return std::string("n").append(std::to_string(number)); }

std::string sentence_for(const std::string &text) {
    const auto hosts = read_hosts(text);
    if (hosts) return "accepted";
    EXPECT_EQ(hosts.error().code, NEREUS_ERR_ARGUMENT);
    return hosts.error().what;
}

TEST(Hosts, AListIsReadInItsOrder) {
    EXPECT_EQ(read_hosts("n1:2,n2,a_b.c-d:1048576").value(),
              (std::vector<Host>{{"n1", 2}, {"n2", 1}, {"a_b.c-d", 1048576}}));
    EXPECT_TRUE(read_hosts("").value().empty());
}

TEST(Hosts, ABadEntryIsNamed) {
    EXPECT_EQ(sentence_for("n1,n2:0"), "host `n2:0`: slots are 1 .. 1048576");
    EXPECT_EQ(sentence_for("n1:2,,n2"), "host ``: a name is missing");
    EXPECT_EQ(sentence_for(":2"), "host `:2`: a name is missing");
    EXPECT_EQ(sentence_for("n1,n2,n1:4"), "host `n1:4`: it is there twice");
    EXPECT_EQ(sentence_for("n1.cluster,n1"), "host `n1`: it is there twice");
    EXPECT_EQ(sentence_for("n1, n2"),
              "host ` n2`: a name is letters, digits, '.', '-' and '_', and begins with a letter or digit");
}

TEST(Hosts, SlotsJustOutsideTheirRangeAreRefused) {
    for (const char *slots : {"", "0", "-1", "1048577", "99999999999999999999", "2x", " 2", "+2", "1:1"})
        EXPECT_NE(sentence_for("n1:" + std::string(slots)), "accepted") << slots;
}

TEST(Hosts, ANameCannotBeAnOptionOfTheLauncher) {
    for (const char *name : {"-launcher", "--host", ".n1", "_n1", "a b", "a;b", "a/b", "$a", "n\xc3\xb6"})
        EXPECT_NE(sentence_for(name), "accepted") << name;
}

TEST(Hosts, AHostIsKnownByItsShortAndItsLongName) {
    EXPECT_TRUE(same_host("n1", "n1.cluster.example"));
    EXPECT_TRUE(same_host("n1.a", "n1.b"));
    EXPECT_FALSE(same_host("n1", "n10"));
}

TEST(Hosts, TwoAddressesOfOneNetworkAreTwoHosts) {
    EXPECT_FALSE(same_host("10.0.0.1", "10.0.0.2"));
    EXPECT_TRUE(same_host("10.0.0.1", "10.0.0.1"));
}

TEST(Hosts, WhatARolledBackResizeAddedGoesAndTheRestStaysAsItWas) {
    const std::vector<Host> before{{"n1", 1}, {"n2.cluster", 2}};
    const HostChange change{{{"n3", 4}, {"n2", 3}}};
    std::vector<Host> list = *changed(before, change);
    EXPECT_EQ(changed_back(list, change, before), before);
    list = *changed(list, {{{"n4", 1}}});
    EXPECT_EQ(changed_back(list, change, before), *changed(before, {{{"n4", 1}}}));
    EXPECT_TRUE(changed_back(change.more, {change.more}, {}).empty());
}

TEST(Hosts, WhatARolledBackResizeWasToReleaseIsThereAgain) {
    const std::vector<Host> before{{"n1", 1}, {"n2.cluster", 2}, {"n3", 4}};
    const HostChange change{{}, {"n2", "n3"}};
    const std::vector<Host> list = *changed(before, change);
    EXPECT_EQ(list, (std::vector<Host>{{"n1", 1}}));
    EXPECT_EQ(changed_back(list, change, before), before);
}

TEST(Hosts, AHostThatTheJobDoesNotHaveCannotBeReleased) {
    const auto refused = changed({{"n1", 1}}, {{}, {"n2"}});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("n2"), std::string::npos);
}

TEST(Hosts, ProcessesOnReleasedHostsLeaveAndTheOthersKeepTheirOrder) {
    const std::vector<std::string> hosts{"n1", "n2.cluster", "n3", "n1", "n2.cluster", "n3"};
    EXPECT_EQ(kept_elsewhere(hosts, {"n2"}, 4), (std::vector<int>{0, 2, 3, 5}));
    EXPECT_EQ(kept_elsewhere(hosts, {"n2"}, 3), (std::vector<int>{0, 2, 3}));
    EXPECT_EQ(kept_elsewhere(hosts, {"n2", "n3"}, 2), (std::vector<int>{0, 3}));
}

TEST(Hosts, AddedHostsFollowAndKnownOnesGetTheNewSlots) {
    const std::vector<Host> list{{"n1", 1}, {"n2.cluster", 2}};
    EXPECT_EQ(*changed(list, {{{"n3", 4}, {"n2", 3}}}), (std::vector<Host>{{"n1", 1}, {"n2.cluster", 3}, {"n3", 4}}));
}

RC_GTEST_PROP(Hosts, AListIsReadAsItWasWritten, ()) {
    const auto slots = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, most_slots + 1));
    std::string text;
    for (std::size_t i = 0; i < slots.size(); ++i)
        text.append(i == 0 ? "" : ",").append(host_name(i) + ":" + std::to_string(slots[i]));
    const auto hosts = read_hosts(text).value();
    RC_ASSERT(hosts.size() == slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) RC_ASSERT(hosts[i] == (Host{host_name(i), slots[i]}));
}

RC_GTEST_PROP(Hosts, NoTextIsReadAsAHostThatCannotBe, ()) {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', '1', ':', ',', '.', '-', ' ', '0'));
    const auto hosts = read_hosts(text);
    if (!hosts) return RC_ASSERT(!hosts.error().what.empty());
    for (const Host &host : *hosts) {
        RC_ASSERT(std::isalnum(static_cast<unsigned char>(host.name.front())) != 0);
        RC_ASSERT(host.slots >= 1);
        RC_ASSERT(host.slots <= most_slots);
        RC_ASSERT(std::ranges::count_if(*hosts, [&](const Host &h) { return same_host(h.name, host.name); }) == 1);
    }
}

/// A job on some hosts, which may have more processes than slots, or processes on hosts outside the list.
struct Growth {
    std::vector<Host> hosts;
    Names host_of_rank;
    int newcomers = *rc::gen::inRange(0, 20);
    Placement placement = *rc::gen::element(Placement::compact, Placement::spread);

    Growth() {
        const auto slots = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 6)));
        for (std::size_t i = 0; i < slots.size(); ++i) hosts.push_back({host_name(i), slots[i]});
        const auto where = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 8));
        for (const std::size_t host : where) host_of_rank.push_back(host_name(host) + ".cluster");
    }

    Result<Names> placed(bool oversubscribe, bool grouped = false) const {
        return place(hosts, host_of_rank, newcomers, placement, oversubscribe, grouped);
    }
    int free() const { return free_slots(hosts, host_of_rank); }
    int before(const Host &host) const { return processes(host_of_rank, host.name); }
    int after(const Host &host, const Names &placed) const { return before(host) + processes(placed, host.name); }

    static int processes(const Names &names, const std::string &host) {
        return static_cast<int>(std::ranges::count_if(names, [&](const auto &name) { return same_host(name, host); }));
    }
};

RC_GTEST_PROP(Placement, EveryNewcomerGetsAHostOfTheList, (bool grouped)) {
    const Growth job;
    const auto placed = job.placed(true, grouped).value();
    RC_ASSERT(placed.size() == static_cast<std::size_t>(job.newcomers));
    for (const std::string &name : placed)
        RC_ASSERT(std::ranges::any_of(job.hosts, [&](const Host &h) { return h.name == name; }));
}

RC_GTEST_PROP(Placement, SlotsAreExceededOnlyWhenAskedFor, (bool grouped)) {
    const Growth job;
    const auto placed = job.placed(false, grouped);
    RC_ASSERT(placed.has_value() == (job.newcomers <= job.free()));
    if (!placed) return RC_ASSERT(placed.error().code == NEREUS_ERR_RANGE);
    for (const Host &host : job.hosts) RC_ASSERT(job.after(host, *placed) <= std::max(host.slots, job.before(host)));
}

RC_GTEST_PROP(Placement, FreeSlotsAreTakenBeforeAHostGetsTooManyProcesses, ()) {
    const Growth job;
    const auto placed = job.placed(true).value();
    if (job.newcomers < job.free()) return;
    for (const Host &host : job.hosts) RC_ASSERT(job.after(host, placed) >= host.slots);
}

RC_GTEST_PROP(Placement, WithFreeSlotsOversubscriptionChangesNothing, ()) {
    const Growth job;
    if (const auto placed = job.placed(false)) RC_ASSERT(job.placed(true).value() == *placed);
}

RC_GTEST_PROP(Placement, CompactLeavesNoSlotFreeBeforeAHostInUse, ()) {
    Growth job;
    job.placement = Placement::compact;
    const auto placed = job.placed(false);
    RC_PRE(placed.has_value());
    for (std::size_t i = 0; i + 1 < job.hosts.size(); ++i)
        if (job.after(job.hosts[i], *placed) < job.hosts[i].slots)
            for (std::size_t later = i + 1; later < job.hosts.size(); ++later)
                RC_ASSERT(Growth::processes(*placed, job.hosts[later].name) == 0);
}

RC_GTEST_PROP(Placement, SpreadKeepsProcessesEvenWhereSlotsAllow, ()) {
    Growth job;
    job.placement = Placement::spread;
    const auto placed = job.placed(false);
    RC_PRE(placed.has_value());
    for (const Host &got : job.hosts)
        if (Growth::processes(*placed, got.name) > 0)
            for (const Host &other : job.hosts)
                if (job.after(other, *placed) < other.slots)
                    RC_ASSERT(job.after(got, *placed) <= job.after(other, *placed) + 1);
}

RC_GTEST_PROP(Placement, GroupedNewcomersAreTheSameInTheOrderOfTheList, ()) {
    const Growth job;
    auto expected = job.placed(true).value();
    const auto grouped = job.placed(true, true).value();
    std::ranges::stable_sort(expected, {}, [&](const std::string &name) {
        return std::ranges::find(job.hosts, name, &Host::name) - job.hosts.begin();
    });
    RC_ASSERT(grouped == expected);
}

RC_GTEST_PROP(Placement, FreeSlotsAreThoseThatCanBeFilled, ()) {
    Growth job;
    job.newcomers = job.free();
    RC_ASSERT(job.placed(false).has_value());
    ++job.newcomers;
    RC_ASSERT(!job.placed(false).has_value());
}

Names placed(const std::string &hosts, const Names &ranks, int newcomers, Placement placement, bool grouped = false) {
    return place(read_hosts(hosts).value(), ranks, newcomers, placement, true, grouped).value();
}

TEST(Placement, WithoutAListTheMpiChooses) { EXPECT_EQ(placed("", {"n1"}, 2, Placement::spread), (Names{"", ""})); }

TEST(Placement, CompactFillsAndSpreadAlternates) {
    EXPECT_EQ(placed("n1:3,n2:3", {"n1"}, 4, Placement::compact), (Names{"n1", "n1", "n2", "n2"}));
    EXPECT_EQ(placed("n1:3,n2:3", {"n1"}, 4, Placement::spread), (Names{"n2", "n1", "n2", "n1"}));
    EXPECT_EQ(placed("n1:3,n2:3", {"n1"}, 4, Placement::spread, true), (Names{"n1", "n1", "n2", "n2"}));
}

TEST(Placement, TooManyGoWhereThereAreFewestForEachSlot) {
    EXPECT_EQ(placed("n1:1,n2:2", {"n1", "n1", "n2", "n2"}, 3, Placement::compact), (Names{"n2", "n2", "n1"}));
}

TEST(Placement, TooFewSlotsAreRefusedWithTheNumbers) {
    const auto refused = place({{"n1", 2}, {"n2", 1}}, {"n1", "n1"}, 2, Placement::compact, false, false);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, NEREUS_ERR_RANGE);
    EXPECT_EQ(refused.error().what, "2 processes are wanted, but 1 of the 3 slots of 2 hosts is free");
}

TEST(Placement, SlotsBeyondTheLargestIntAreNotNegative) {
    std::vector<Host> hosts;
    for (std::size_t i = 0; i < 4096; ++i) hosts.push_back({host_name(i), most_slots});
    EXPECT_EQ(free_slots(hosts, {}), INT32_MAX);
}

}
}
