// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/vote_messages.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <cstring>

namespace nereus::job {
namespace {

std::string any_text() { return *rc::gen::container<std::string>(rc::gen::inRange('a', '{')); }

Done any_done() {
    if (*rc::gen::arbitrary<bool>()) return {};
    return failed(static_cast<nereus_code>(*rc::gen::inRange<int>(NEREUS_ERR_STATE, NEREUS_OK)), any_text());
}

Handles any_made() {
    if (*rc::gen::arbitrary<bool>()) return Handles::object();
    return {{"n1", {{{"pid", *rc::gen::inRange(1, 1000)}}, nullptr}}};
}

Requests any_requests() {
    Requests requests;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        nereus_resize_options options{};
        options.transfer_method = static_cast<nereus_transfer_method>(*rc::gen::inRange(0, 5));
        options.process_strategies = *rc::gen::element<unsigned>(0, NEREUS_AUTO, NEREUS_PARALLEL);
        options.oversubscribe = *rc::gen::inRange(0, 2);
        requests.add({0, *rc::gen::inRange(1, 1000), Save::no, 0, options});
    }
    if (*rc::gen::arbitrary<bool>()) requests.take();
    return requests;
}

CarriedLine any_line() {
    return {"ipc:///" + any_text(),
            any_text(),
            any_text(),
            *rc::gen::inRange<std::int64_t>(0, INT64_MAX),
            {{*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>()}},
            {{"opening", {{"kind", "hello"}}}}};
}

NextRoot any_root() {
    NextRoot root;
    root.requests = any_requests();
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
        root.processes.push_back({*rc::gen::inRange(1, 100000), *rc::gen::inRange<std::int64_t>(0, INT64_MAX)});
    if (*rc::gen::arbitrary<bool>()) root.hosts = {{"n1", 4}, {"n2.site", *rc::gen::inRange(1, 100)}};
    if (*rc::gen::arbitrary<bool>()) root.costs = plan::Costs{};
    root.token = any_text();
    if (*rc::gen::arbitrary<bool>()) root.daemon_line = any_line();
    return root;
}

Commit any_commit() {
    Commit commit;
    commit.report.code = NEREUS_RESIZED;
    commit.report.transfer_method = static_cast<nereus_transfer_method>(*rc::gen::inRange(0, 5));
    commit.report.variable_bytes = *rc::gen::inRange<std::int64_t>(0, INT64_MAX);
    commit.report.pause_seconds = *rc::gen::inRange(0, 1000) * 0.7;
    commit.values = *rc::gen::arbitrary<Values>();
    commit.iteration = *rc::gen::inRange<std::int64_t>(0, INT64_MAX);
    commit.io_phases = *rc::gen::inRange<std::int64_t>(0, INT64_MAX);
    commit.says_io = *rc::gen::arbitrary<bool>();
    commit.has_daemon = *rc::gen::arbitrary<bool>();
    commit.has_supervisor = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) commit.next_root = any_root();
    return commit;
}

Decision any_decision() {
    Decision decision;
    decision.all = any_done();
    decision.made = any_made();
    decision.swaps = *rc::gen::arbitrary<std::vector<int>>();
    decision.only_to_close = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) decision.commit = any_commit();
    return decision;
}

Vote any_vote() { return {any_done(), *rc::gen::arbitrary<std::vector<std::uint64_t>>(), any_made()}; }

bool alike(const Done &one, const Done &other) {
    if (one || other) return one.has_value() == other.has_value();
    return one.error().code == other.error().code && one.error().what == other.error().what;
}

void assert_alike(const NextRoot &one, const NextRoot &other) {
    RC_ASSERT(one.requests.as_json() == other.requests.as_json());
    RC_ASSERT(nlohmann::json(one.processes) == nlohmann::json(other.processes));
    RC_ASSERT(one.hosts == other.hosts);
    RC_ASSERT(one.costs.has_value() == other.costs.has_value());
    RC_ASSERT(one.token == other.token);
    RC_ASSERT(one.daemon_line.has_value() == other.daemon_line.has_value());
    if (!one.daemon_line) return;
    const CarriedLine &line = *one.daemon_line, &came = *other.daemon_line;
    RC_ASSERT(std::tie(line.address, line.keys, line.name, line.iteration, line.commands, line.conversation) ==
              std::tie(came.address, came.keys, came.name, came.iteration, came.commands, came.conversation));
}

void assert_alike(const Commit &one, const Commit &other) {
    RC_ASSERT(std::memcmp(&one.report, &other.report, sizeof one.report) == 0);
    RC_ASSERT(std::tie(one.values, one.iteration, one.io_phases, one.says_io, one.has_daemon, one.has_supervisor) ==
              std::tie(other.values, other.iteration, other.io_phases, other.says_io, other.has_daemon,
                       other.has_supervisor));
    RC_ASSERT(one.next_root.has_value() == other.next_root.has_value());
    if (one.next_root) assert_alike(*one.next_root, *other.next_root);
}

RC_GTEST_PROP(VoteMessages, ADecisionArrivesWhole, ()) {
    const Decision decision = any_decision();
    const auto came = unpack_decision(pack(decision));
    RC_ASSERT(came.has_value());
    RC_ASSERT(alike(came->all, decision.all));
    RC_ASSERT(std::tie(came->made, came->swaps, came->only_to_close) ==
              std::tie(decision.made, decision.swaps, decision.only_to_close));
    RC_ASSERT(came->commit.has_value() == decision.commit.has_value());
    if (came->commit) assert_alike(*came->commit, *decision.commit);
}

RC_GTEST_PROP(VoteMessages, AVoteArrivesWhole, ()) {
    const Vote vote = any_vote();
    const auto came = unpack_vote(pack(vote));
    RC_ASSERT(came.has_value());
    RC_ASSERT(alike(came->mine, vote.mine));
    RC_ASSERT(std::tie(came->sums, came->made) == std::tie(vote.sums, vote.made));
}

/// What those rely on who read such a message.
void assert_error_or_usable(const mpi::Bytes &bytes) {
    const auto vote = unpack_vote(bytes);
    if (vote) RC_ASSERT(vote->made.is_object() || vote->made.is_null());
    if (!vote) RC_ASSERT(vote.error().code == NEREUS_ERR_MISMATCH && !vote.error().what.empty());
    const auto decision = unpack_decision(bytes);
    if (!decision) {
        RC_ASSERT(decision.error().code == NEREUS_ERR_MISMATCH && !decision.error().what.empty());
        return;
    }
    if (!decision->all) RC_ASSERT(decision->all.error().code < 0);
    if (!decision->commit) return;
    RC_ASSERT(decision->commit->iteration >= 0 && decision->commit->io_phases >= 0);
    const auto method = static_cast<int>(decision->commit->report.transfer_method);
    RC_ASSERT(method >= NEREUS_P2P && method <= NEREUS_TRANSFER_AUTO);
}

RC_GTEST_PROP(VoteMessages, RandomBytesAreRefusedAndNothingElse, ()) {
    assert_error_or_usable(*rc::gen::arbitrary<mpi::Bytes>());
}

RC_GTEST_PROP(VoteMessages, OneThatArrivedChangedIsRefusedOrStillUsable, ()) {
    const mpi::Bytes good = *rc::gen::arbitrary<bool>() ? pack(any_decision()) : pack(any_vote());
    for (int changes = 0; changes < 40; ++changes) {
        mpi::Bytes bad = good;
        for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
            bad[*rc::gen::inRange<std::size_t>(0, bad.size())] = *rc::gen::arbitrary<std::uint8_t>();
        assert_error_or_usable(bad);
    }
}

RC_GTEST_PROP(VoteMessages, OneThatArrivedShortIsRefused, ()) {
    const mpi::Bytes decision = pack(any_decision()), vote = pack(any_vote());
    const auto part_of = [](const mpi::Bytes &bytes) {
        return mpi::Bytes(bytes.begin(), bytes.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(bytes)));
    };
    RC_ASSERT(!unpack_decision(part_of(decision)));
    RC_ASSERT(!unpack_vote(part_of(vote)));
}

/// A packed commit, changed by change(json).
template <class Change> Result<Decision> changed(Change change) {
    Decision decision;
    decision.commit.emplace();
    decision.commit->values = {{1, 2, 3}};
    decision.commit->next_root.emplace();
    nlohmann::json json = nlohmann::json::from_msgpack(pack(decision));
    change(json["commit"]);
    return unpack_decision(nlohmann::json::to_msgpack(json));
}

TEST(VoteMessages, ACommitWithoutOneOfItsFieldsIsRefused) {
    std::vector<std::string> of_all, of_root;
    ASSERT_TRUE(changed([&](const nlohmann::json &commit) {
        for (const auto &[key, value] : commit.items()) of_all.push_back(key);
        for (const auto &[key, value] : commit.at("next_root").items()) of_root.push_back(key);
    }));
    EXPECT_EQ(of_all.size(), 8u);
    EXPECT_EQ(of_root.size(), 6u);
    for (const std::string &key : of_all)
        EXPECT_FALSE(changed([&](nlohmann::json &commit) { commit.erase(key); })) << key;
    for (const std::string &key : of_root)
        EXPECT_FALSE(changed([&](nlohmann::json &commit) { commit["next_root"].erase(key); })) << key;
}

TEST(VoteMessages, ACommitThatCannotBeIsRefused) {
    EXPECT_FALSE(changed([](nlohmann::json &commit) { commit["values"] = {"text"}; }));
    EXPECT_FALSE(changed([](nlohmann::json &commit) { commit["iteration"] = -1; }));
    EXPECT_FALSE(changed([](nlohmann::json &commit) { commit["report"]["process_method"] = 4; }));
    EXPECT_FALSE(changed([](nlohmann::json &commit) { commit["next_root"]["hosts"] = "n1,n1"; }));
    EXPECT_FALSE(changed([](nlohmann::json &commit) { commit["next_root"]["costs"] = "{}"; }));
    EXPECT_FALSE(changed([](nlohmann::json &commit) { commit["next_root"]["daemon_line"] = "ipc:///line"; }));
}

}
}
