// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: what happened in one phase, where another one is measured too (defect B3 of Open MPI's
// monitor).
#include "a_record.hpp"

#include "record/pairs.hpp"
#include "record/session.hpp"

namespace nereus::monitor {
namespace {

std::uint64_t messages(const Session &session) {
    std::uint64_t sum = 0;
    for (const auto &[address, count] : session.read()) sum += count.messages;
    return sum;
}

TEST(Session, CountsFromItsStartToItsStop) {
    const auto record = a_record();
    Session session(record->arena());
    record->here().count(to(1), 8);
    session.start();
    record->here().count(to(1), 8);
    record->here().count(to(2), 8);
    session.stop();
    record->here().count(to(1), 8);
    EXPECT_EQ(messages(session), 2U);
    session.start();
    record->here().count(to(2), 8);
    EXPECT_EQ(messages(session), 3U) << "it goes on";
    session.reset();
    EXPECT_EQ(messages(session), 0U);
    record->here().count(to(2), 8);
    EXPECT_EQ(messages(session), 1U) << "it still runs";
}

TEST(Session, IsNotDisturbedByAnother) {
    const auto record = a_record();
    Session one(record->arena()), other(record->arena());
    one.start();
    other.start();
    record->here().count(to(1), 8);
    other.stop();
    other.reset();
    record->here().count(to(1), 8);
    EXPECT_EQ(messages(one), 2U);
    EXPECT_EQ(messages(other), 0U);
}

Address collective(Reach reach) {
    Address address;
    address.kind = Kind::collective;
    address.call = Call::allreduce;
    address.reach = reach;
    address.scope = 4;
    return address;
}

std::vector<std::uint64_t> peers(const Record &record) {
    std::vector<std::uint64_t> found;
    for (const auto &[pair, count] : pairs(totals(record.arena()), record.arena())) found.push_back(pair.peer);
    return found;
}

/// Ranks 6, 4, 2 of the own world and 0 of world 1; this process is the second of them.
void tell_communicator(Record &record, bool two_sides) {
    record.tell({{"event", "communicator"},
                 {"communicator", 4},
                 {"name", "x"},
                 {"own_rank", 1},
                 {"two_sides", two_sides},
                 {"members", {{0, 6, 3, -2}, {1, 0, 1, 1}}}});
}

constexpr std::uint64_t of_world_1 = std::uint64_t{1} << 32;

TEST(Pairs, OfACollectiveAreAllOthers) {
    const auto record = a_record();
    tell_communicator(*record, false);
    record->here().count(collective(Reach::all), 8);
    EXPECT_EQ(peers(*record), (std::vector<std::uint64_t>{2, 6, of_world_1}));
}

TEST(Pairs, OfAScanAreThoseOfHigherRank) {
    const auto record = a_record();
    tell_communicator(*record, false);
    record->here().count(collective(Reach::higher), 8);
    EXPECT_EQ(peers(*record), (std::vector<std::uint64_t>{2, of_world_1}));
}

TEST(Pairs, BetweenTwoGroupsAreAllOfTheOther) {
    const auto record = a_record();
    tell_communicator(*record, true);
    record->here().count(collective(Reach::all), 8);
    EXPECT_EQ(peers(*record), (std::vector<std::uint64_t>{2, 4, 6, of_world_1}));
}

TEST(Pairs, AreNoneWhereNothingWasSent) {
    const auto record = a_record();
    tell_communicator(*record, false);
    record->here().count(collective(Reach::nobody), 0);
    record->here().count(to(0, Kind::write), 100);
    EXPECT_TRUE(peers(*record).empty());
}

}
}
