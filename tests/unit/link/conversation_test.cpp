// SPDX-License-Identifier: BSD-3-Clause
#include "link/daemon_protocol.hpp"

#include <gtest/gtest.h>
#include <nereus/errors.h>
#include <rapidcheck/gtest.h>

namespace nereus::link {
namespace {

using nlohmann::json;

Conversation a_job() { return Conversation({{"hosts", {"n1", "n1"}}, {"most", 8}}, 77); }

json welcome() { return {{"kind", "welcome"}, {"instance", "a"}, {"heartbeat_seconds", 0.5}, {"lease_seconds", 10}}; }

/// One that has been welcomed at time 0, its first heartbeat behind it.
Conversation welcomed() {
    Conversation job = a_job();
    (void)job.due(0);
    job.take(welcome(), 0);
    (void)job.due(0.5);
    return job;
}

json resize(std::uint64_t command, const json &ranks, const json &at = 0) {
    return {{"kind", "resize"}, {"command", command}, {"ranks", ranks}, {"at", at}, {"options", json::object()}};
}

/// What it sends at that time, of one kind.
std::vector<json> sent(Conversation &job, double now, const std::string &kind) {
    std::vector<json> of_kind;
    for (const json &message : job.due(now))
        if (message.at("kind") == kind) of_kind.push_back(message);
    return of_kind;
}

TEST(Conversation, SaysHelloUntilItIsWelcomed) {
    Conversation job = a_job();
    job.passed(7);
    const auto first = sent(job, 0, "hello");
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].at("most"), 8);
    EXPECT_EQ(first[0].at("iteration"), 7);
    EXPECT_TRUE(job.due(0.5).empty());
    EXPECT_EQ(sent(job, 1, "hello").size(), 1U);
    job.take(welcome(), 1.1);
    EXPECT_TRUE(sent(job, 2.5, "hello").empty());
    EXPECT_TRUE(job.is_heard(1.2, 2));
    EXPECT_FALSE(job.is_heard(3.2, 2));
}

TEST(Conversation, AControllerThatIsNotThereIsLookedForLessAndLessOften) {
    Conversation job = a_job();
    double now = 0;
    int hellos = 0;
    for (; now < 60; now = job.next_due()) {
        hellos += static_cast<int>(job.due(now).size());
        job.not_sent(now);
    }
    EXPECT_LT(hellos, 160);
    EXPECT_LE(job.next_due(), now + 1);
}

TEST(Conversation, ATurnIsAskedForAgainUntilItComes) {
    Conversation job = welcomed();
    job.ask(3, 100, 0);
    EXPECT_EQ(sent(job, 0.6, "io_request").size(), 1U);
    EXPECT_EQ(sent(job, 0.9, "io_request").size(), 1U);
    job.take({{"kind", "grant"}, {"number", 2}, {"epoch", 8}}, 0.95);
    EXPECT_EQ(job.granted(), 0U) << "of an earlier phase";
    job.take({{"kind", "grant"}, {"number", 3}, {"epoch", 9}}, 1);
    EXPECT_EQ(job.granted(), 9U);
    EXPECT_FALSE(job.asks());
    EXPECT_TRUE(sent(job, 2, "io_request").empty());
    EXPECT_EQ(sent(job, 3, "heartbeat").at(0).at("epoch"), 9);
}

TEST(Conversation, WhatCouldNotBeSentIsSaidAgainSoon) {
    Conversation job = welcomed();
    job.insist({{"kind", "done"}}, 0.6);
    EXPECT_EQ(sent(job, 0.6, "done").size(), 1U);
    job.not_sent(0.6);
    EXPECT_EQ(sent(job, 0.62, "done").size(), 1U);
}

TEST(Conversation, AGrantWithoutAnEpochIsNone) {
    Conversation job = welcomed();
    job.ask(1, 0, 0);
    job.take({{"kind", "grant"}, {"number", 1}, {"epoch", 0}}, 1);
    EXPECT_TRUE(job.asks());
}

TEST(Conversation, NumbersThatNobodyGivesAreNone) {
    Conversation job = welcomed();
    job.ask(1, 0, 0);
    job.insist({{"kind", "done"}}, 0.6);
    for (const json &none : {json(0), json(-1), json(1.0), json(1e300), json(UINT64_MAX), json("1"), json(true)}) {
        job.take({{"kind", "grant"}, {"number", 1}, {"epoch", none}}, 1);
        job.take({{"kind", "noted"}, {"id", none}}, 1);
        job.take(resize(1, 4), 1);
        job.take({{"kind", "cancel"}, {"command", none}}, 1);
        job.take({{"kind", "resize"}, {"command", none}, {"ranks", 3}}, 1);
    }
    EXPECT_TRUE(job.asks());
    EXPECT_TRUE(job.insists());
    EXPECT_EQ(job.take_command(1)->ranks, 4);
    EXPECT_FALSE(job.take_command(1));
}

TEST(Conversation, AGrantThatWasTakenBackBeforeTheJobSawItEndsItsWait) {
    Conversation job = welcomed();
    job.ask(1, 0, 0);
    job.take({{"kind", "grant"}, {"number", 1}, {"epoch", 7}}, 1);
    job.take({{"kind", "alive"}, {"turn", false}, {"epoch", 7}}, 1.1);
    EXPECT_FALSE(job.asks());
    EXPECT_EQ(job.granted(), 7U);
}

TEST(Conversation, AJobThatAsksWaitsForADaemonThatKnowsItNot) {
    Conversation job = welcomed();
    job.ask(1, 0, 0);
    job.take({{"kind", "who"}}, 1);
    EXPECT_TRUE(job.is_heard(1.1, 2));
    job.take(welcome(), 1.2);
    EXPECT_EQ(sent(job, 1.3, "io_request").size(), 1U);
}

TEST(Conversation, WhatMattersIsSaidUntilItIsNoted) {
    Conversation job = welcomed();
    job.insist({{"kind", "io_done"}, {"age_seconds", 0}}, 0.6);
    const auto first = sent(job, 0.6, "io_done");
    ASSERT_EQ(first.size(), 1U);
    EXPECT_DOUBLE_EQ(sent(job, 1.7, "io_done").at(0).at("age_seconds").get<double>(), 1.7 - 0.6);
    job.take({{"kind", "noted"}, {"id", first[0].at("id")}}, 1.8);
    EXPECT_TRUE(sent(job, 5, "io_done").empty());
    EXPECT_FALSE(job.insists());
}

TEST(Conversation, AnotherControllerHearsWhatTheFormerOneDidNotNote) {
    Conversation job = welcomed();
    job.insist({{"kind", "done"}}, 0.6);
    EXPECT_EQ(sent(job, 0.6, "done").size(), 1U);
    job.take({{"kind", "who"}}, 0.7);
    EXPECT_EQ(sent(job, 0.7, "hello").size(), 1U);
    job.take(welcome(), 0.8);
    EXPECT_EQ(sent(job, 0.8, "done").size(), 1U);
}

TEST(Conversation, ACommandWaitsForItsIteration) {
    Conversation job = welcomed();
    job.take(resize(1, 4, 100), 1);
    job.take(resize(2, 2, 200), 1);
    EXPECT_EQ(job.next_command_at(), 100);
    EXPECT_FALSE(job.take_command(99));
    EXPECT_EQ(job.take_command(100)->ranks, 4);
    EXPECT_FALSE(job.take_command(100));
    EXPECT_EQ(job.take_command(250)->ranks, 2) << "late, but not lost";
}

TEST(Conversation, ACommandThatComesTwiceIsCarriedOutOnce) {
    Conversation job = welcomed();
    job.take(resize(1, 4), 1);
    ASSERT_TRUE(job.take_command(1));
    job.take(resize(1, 4), 1.1);
    EXPECT_FALSE(job.take_command(1));
    EXPECT_EQ(sent(job, 1.2, "heard").size(), 2U);
}

TEST(Conversation, ACommandThatComesBehindALaterOneIsCarriedOutFirst) {
    Conversation job = welcomed();
    job.take(resize(2, 2, 200), 1);
    job.take(resize(1, 4, 100), 2);
    EXPECT_EQ(job.take_command(100)->ranks, 4);
    EXPECT_EQ(job.take_command(200)->ranks, 2);
    job.take(resize(1, 4, 100), 3);
    EXPECT_FALSE(job.take_command(1000));
}

TEST(Conversation, ACancelledCommandIsNotCarriedOut) {
    Conversation job = welcomed();
    job.take(resize(1, 4, 100), 1);
    job.take({{"kind", "cancel"}, {"command", 1}}, 1);
    EXPECT_FALSE(job.take_command(1000));
    job.take({{"kind", "cancel"}, {"command", 2}}, 1);
    job.take(resize(2, 4), 1.5);
    EXPECT_FALSE(job.take_command(1000)) << "the resize came behind its cancel";
}

TEST(Conversation, ASenselessCommandIsRefusedAndHurtsNobody) {
    for (const json &ranks : {json(0), json(-1), json("four"), json(1.5), json(nullptr), json(4294967296)}) {
        Conversation job = welcomed();
        job.take(resize(1, ranks), 1);
        EXPECT_FALSE(job.take_command(1000)) << ranks;
        const auto refused = sent(job, 1, "refused");
        ASSERT_EQ(refused.size(), 1U) << ranks;
        EXPECT_EQ(refused[0].at("code"), NEREUS_ERR_RANGE);
    }
}

TEST(Conversation, AnEmptyMessageChangesNothing) {
    Conversation job = welcomed();
    for (const json &message :
         {json::object(), json({{"kind", "resize"}}), json({{"kind", 7}}), json({{"kind", "grant"}}),
          json({{"kind", "cancel"}}), json({{"kind", "welcome"}}), json({{"kind", "alive"}})})
        job.take(message, 1);
    EXPECT_FALSE(job.take_command(1000));
    EXPECT_EQ(job.granted(), 0U);
}

TEST(Conversation, TheNextRootGoesOnWhereTheFormerOneStood) {
    Conversation former = welcomed();
    former.passed(50);
    former.take(resize(1, 4), 1);
    former.take(resize(2, 2, 100), 1);
    ASSERT_TRUE(former.take_command(50));
    former.insist({{"kind", "io_done"}, {"age_seconds", 0}}, 1);
    Conversation next = a_job();
    next.restore(json::parse(former.as_json(3).dump()), 10);
    EXPECT_DOUBLE_EQ(sent(next, 11, "io_done").at(0).at("age_seconds").get<double>(), 3);
    next.take({{"kind", "who"}}, 11);
    const json hello = sent(next, 11, "hello").at(0);
    EXPECT_EQ(hello.at("commands"), json({1, 2}));
    EXPECT_EQ(hello.at("iteration"), 50);
    next.take(resize(1, 4), 11);
    EXPECT_FALSE(next.take_command(50)) << "the former one carried it out";
    EXPECT_EQ(next.take_command(100)->ranks, 2);
}

TEST(Conversation, EachMessageTellsThisJobFromAnEarlierOneOfItsName) {
    Conversation job = a_job();
    std::set<std::string> kinds;
    const auto look = [&](double now) {
        for (const json &message : job.due(now)) {
            EXPECT_EQ(message.at("opening"), 77) << message;
            kinds.insert(message.at("kind"));
        }
    };
    look(0);
    job.take(welcome(), 0);
    job.take(resize(1, 4), 0.1);
    job.ask(1, 0, 0);
    job.say({{"kind", "sample"}});
    job.insist({{"kind", "goodbye"}}, 0.2);
    look(0.6);
    EXPECT_EQ(kinds, (std::set<std::string>{"goodbye", "heard", "heartbeat", "hello", "io_request", "sample"}));
}

TEST(Conversation, TheNextRootIsOfTheSameOpening) {
    Conversation former = welcomed();
    Conversation next({{"most", 8}}, 99);
    next.restore(json::parse(former.as_json(1).dump()), 1);
    EXPECT_EQ(sent(next, 2, "heartbeat").at(0).at("opening"), 77);
}

RC_GTEST_PROP(Conversation, EachCommandIsCarriedOutOnceHoweverOftenAndLateItComes, ()) {
    Conversation job = welcomed();
    const auto order = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 6));
    std::vector<std::uint64_t> carried_out;
    std::uint64_t greatest = 0;
    double now = 1;
    for (const int number : order) {
        job.take(resize(static_cast<std::uint64_t>(number), 4), now += 0.01);
        if (const auto command = job.take_command(1)) {
            RC_ASSERT(command->number > greatest);
            greatest = command->number;
            carried_out.push_back(command->number);
        }
    }
    RC_ASSERT(std::set<std::uint64_t>(carried_out.begin(), carried_out.end()).size() == carried_out.size());
}

rc::Gen<json> any_value() {
    return rc::gen::oneOf(rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t n) { return json(n); }),
                          rc::gen::map(rc::gen::inRange(-2, 5), [](int n) { return json(n); }),
                          rc::gen::map(rc::gen::arbitrary<double>(), [](double n) { return json(n); }),
                          rc::gen::map(rc::gen::arbitrary<bool>(), [](bool b) { return json(b); }),
                          rc::gen::map(rc::gen::string<std::string>(), [](const std::string &t) { return json(t); }),
                          rc::gen::just(json(nullptr)), rc::gen::just(json::array()), rc::gen::just(json::object()));
}

/// One of the daemon's kinds, with any values, or none, of the keys that it has.
rc::Gen<json> any_message() {
    const auto kind =
        rc::gen::element<std::string>("welcome", "alive", "who", "noted", "grant", "resize", "cancel", "?");
    const auto keys = rc::gen::element<std::string>("id", "number", "epoch", "command", "ranks", "at", "options",
                                                    "turn", "heartbeat_seconds");
    const auto rest = rc::gen::container<std::vector<std::pair<std::string, json>>>(rc::gen::pair(keys, any_value()));
    return rc::gen::mapcat(kind, [rest](const std::string &of_kind) {
        return rc::gen::map(rest, [of_kind](const std::vector<std::pair<std::string, json>> &entries) {
            json message = {{"kind", of_kind}};
            for (const auto &[key, value] : entries) message[key] = value;
            return message;
        });
    });
}

RC_GTEST_PROP(Conversation, WhateverTheDaemonSaysNoSenselessCommandReachesTheJob, ()) {
    Conversation job = welcomed();
    job.ask(1, 0, 0);
    double now = 1;
    for (const json &message : *rc::gen::container<std::vector<json>>(any_message())) {
        job.take(message, now += 0.1);
        for (const json &sent : job.due(now)) RC_ASSERT(sent.at("kind").is_string());
        while (const auto command = job.take_command(INT64_MAX)) {
            RC_ASSERT(command->ranks >= 1);
            RC_ASSERT(command->at >= 0);
            RC_ASSERT(command->options.is_object());
        }
        RC_ASSERT(job.next_due() <= now + 1e6);
    }
}

}
}
