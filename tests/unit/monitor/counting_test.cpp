// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: messages, their sizes, or the time at which they were sent.
#include "a_record.hpp"

#include "record/totals.hpp"

#include <numeric>
#include <rapidcheck/gtest.h>
#include <set>
#include <thread>

namespace nereus::monitor {
namespace {

RC_GTEST_PROP(Bins, HoldSizesFromAPowerOfTwoToBelowTheNext, (std::uint64_t bytes)) {
    const int bin = bin_of(bytes);
    RC_ASSERT(bin >= 0 && bin < bins);
    if (bytes == 0) RC_ASSERT(bin == 0);
    if (bin > 0) RC_ASSERT(bytes >> (bin - 1) == 1);
}

TEST(Bins, AreExactAtTheirEdges) {
    for (int power = 0; power < 64; ++power) {
        const std::uint64_t size = std::uint64_t{1} << power;
        EXPECT_EQ(bin_of(size), power + 1);
        EXPECT_EQ(bin_of(size - 1), power);
    }
    EXPECT_EQ(bin_of(~std::uint64_t{0}), 64);
}

RC_GTEST_PROP(Totals, AreWhatWasCountedByAllThreads, (std::vector<std::pair<std::uint8_t, std::uint32_t>> sent)) {
    const auto record = a_record();
    const auto count = [&](std::size_t first) {
        for (std::size_t i = first; i < sent.size(); i += 2) record->here().count(to(sent[i].first), sent[i].second);
    };
    std::thread other([&] { count(1); });
    count(0);
    other.join();
    Totals expected;
    for (const auto &[peer, bytes] : sent) {
        Count &count_of_peer = expected[to(peer)];
        ++count_of_peer.messages;
        count_of_peer.bytes += bytes;
        ++count_of_peer.histogram[bin_of(bytes)];
    }
    RC_ASSERT(totals(record->arena()) == expected);
}

RC_GTEST_PROP(Totals, SinceAMomentAreWhatCameAfterIt,
              (std::vector<std::uint8_t> before, std::vector<std::uint8_t> after)) {
    const auto record = a_record(), only_after = a_record();
    for (const std::uint8_t peer : before) record->here().count(to(peer), peer);
    const Totals at_the_moment = totals(record->arena());
    for (const std::uint8_t peer : after) {
        record->here().count(to(peer), peer);
        only_after->here().count(to(peer), peer);
    }
    RC_ASSERT(since(totals(record->arena()), at_the_moment) == totals(only_after->arena()));
}

TEST(Totals, KeepWaysApart) {
    const auto record = a_record();
    Address put = to(1, Kind::put), later = to(1);
    later.generation = 2;
    for (const Address &address : {to(1), put, later}) record->here().count(address, 8);
    EXPECT_EQ(totals(record->arena()).size(), 3U);
}

TEST(Totals, CountManyMessagesOfOneSizeAtOnce) {
    const auto record = a_record();
    record->here().count(to(1), 10, 7);
    const Count count = totals(record->arena()).at(to(1));
    EXPECT_EQ(count.messages, 7U);
    EXPECT_EQ(count.bytes, 70U);
    EXPECT_EQ(count.histogram[bin_of(10)], 7U);
}

std::uint64_t messages_in(const std::map<std::uint32_t, std::map<Address, InWindow>> &all) {
    std::uint64_t sum = 0;
    for (const auto &[window, by_address] : all)
        for (const auto &[address, counted] : by_address) sum += counted.messages;
    return sum;
}

TEST(Windows, HaveEachMessageOnce) {
    const auto record = a_record(facts("", 0.005));
    for (int i = 0; i < 40; ++i) {
        record->here().count(to(i % 3), 8);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const auto all = windows(record->arena());
    EXPECT_EQ(messages_in(all), 40U);
    EXPECT_GE(all.size(), 4U);
}

/// Whom the latest messages, at least so many, went to: a window may end between any two.
std::set<std::uint64_t> latest_peers(const std::map<std::uint32_t, std::map<Address, InWindow>> &all,
                                     std::uint64_t messages) {
    std::set<std::uint64_t> peers;
    std::uint64_t seen = 0;
    for (auto window = all.rbegin(); window != all.rend() && seen < messages; ++window)
        for (const auto &[address, counted] : window->second) {
            peers.insert(address.peer);
            seen += counted.messages;
        }
    return peers;
}

TEST(Windows, ForgetTheOldestWhereTheirRingIsFull) {
    RecordFacts small = facts("", 0.001);
    small.most_windows = 1024;
    const auto record = a_record(small);
    auto &shard = record->here();
    for (int window = 0; window < 8; ++window) {
        for (int peer = 0; peer < 400; ++peer) shard.count(to(peer), 1);
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    const auto all = windows(record->arena());
    ASSERT_FALSE(all.empty());
    EXPECT_LT(messages_in(all), 8U * 400U);
    EXPECT_EQ(latest_peers(all, 400).size(), 400U) << "the latest are kept";
}

TEST(Threads, ThatEndLeaveTheirPartToTheNext) {
    const auto record = a_record();
    std::vector<Shard *> shards;
    for (int i = 0; i < 4; ++i) std::thread([&] { shards.push_back(&record->here()); }).join();
    EXPECT_EQ(shards, std::vector<Shard *>(4, shards[0]));
}

}
}
