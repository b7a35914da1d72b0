// SPDX-License-Identifier: BSD-3-Clause
#include "base/settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <rapidcheck/gtest.h>

namespace nereus {
namespace {

/// A variable of the environment for the length of a test; without a value it is unset.
class Variable {
public:
    Variable(std::string name, std::optional<std::string> value) : name_(std::move(name)) {
        if (const char *old = std::getenv(name_.c_str())) before_ = old;
        set(value);
    }
    Variable(Variable &&other) noexcept : name_(std::exchange(other.name_, "")), before_(std::move(other.before_)) {}
    ~Variable() {
        if (!name_.empty()) set(before_);
    }

private:
    void set(const std::optional<std::string> &value) const {
        if (value)
            setenv(name_.c_str(), value->c_str(), 1);
        else
            unsetenv(name_.c_str());
    }
    std::string name_;
    std::optional<std::string> before_;
};

/// Whoever runs the tests may have settings of their own.
class SettingsTest : public testing::Test {
protected:
    SettingsTest() {
        for (const SettingRow &row : settings_table()) cleared_.emplace_back(environment_name(row), std::nullopt);
    }

private:
    std::vector<Variable> cleared_;
};

Result<Settings> read(const std::vector<std::string> &arguments) {
    std::vector<const char *> argv{"program"};
    for (const std::string &argument : arguments) argv.push_back(argument.c_str());
    return read_settings(static_cast<int>(argv.size()), argv.data());
}

std::string sentence_for(const std::string &argument) {
    const auto settings = read({argument});
    if (settings) return "accepted";
    EXPECT_EQ(settings.error().code, NEREUS_ERR_SETTING);
    return settings.error().what;
}

/// Of each setting some that are allowed, and not the default.
const std::vector<std::string> usual_values{
    "on",    "off",    "auto",   "shared",     "private", "merge", "baseline-intra",   "p2p",  "rma-lockall", "col",
    "first", "spread", "thread", "blocking",   "host",    "rank",  "single+multiple",  "none", "n1:2,n2",     "1.5",
    "0.1",   "1e6",    "1e-3",   "65536",      "1",       "0",     "0123456789abcdef", "3.0",  "tcp://n1:7",  "",
    "join",  "a b/c",  "12",     "ipc:///a b", "buddy"};

/// What a job is told of settings, and what each process has of its own.
std::map<std::string, std::string> values(const Settings &settings) {
    std::map<std::string, std::string> texts;
    for (const SettingRow &row : settings_table()) texts[row.name] = row.form.get(settings);
    return texts;
}

TEST_F(SettingsTest, DefaultsOfTheTableAreThoseThatApply) {
    for (const SettingRow &row : settings_table()) {
        Settings changed;
        EXPECT_TRUE(row.form.set(changed, row.initial)) << row.name;
        EXPECT_EQ(values(changed), values(Settings{})) << row.name;
    }
}

TEST_F(SettingsTest, NothingAskedForGivesTheDefaults) { EXPECT_EQ(values(read({}).value()), values(Settings{})); }

/// Not the default.
std::string other_value(const SettingRow &row) {
    Settings settings;
    for (const std::string &value : usual_values)
        if (row.form.set(settings, value) && row.form.get(settings) != row.initial) return value;
    return "none among the usual values";
}

TEST_F(SettingsTest, EverySettingIsReadFromItsFlagAndChangesNoOther) {
    for (const SettingRow &row : settings_table()) {
        const std::string value = other_value(row);
        const auto settings = read({"--nereus-" + row.name + "=" + value});
        ASSERT_TRUE(settings) << settings.error().what;
        Settings changed;
        row.form.set(changed, value);
        auto expected = values(Settings{});
        expected[row.name] = row.form.get(changed);
        EXPECT_EQ(values(*settings), expected) << row.name;
    }
}

auto members(const Settings &s) {
    return std::tuple(s.resize.process_method, s.resize.process_strategies, s.resize.transfer_method,
                      s.resize.transfer_strategy, s.costs, s.results, s.save, s.save_every, s.protect_every, s.resume,
                      s.memory, s.resize.survivors, s.transfer_memory, s.wake, s.hosts, s.resize.placement,
                      s.resize.oversubscribe, s.resize.allow_fewer, s.resize.release_unit, s.start_ranks, s.verify,
                      s.max_ranks, s.outside_requests, s.balance, s.connect_timeout, s.answer_timeout, s.slowest_rate,
                      s.message_bytes, s.background_share, s.background_share_rma, s.background_share_thread, s.job,
                      s.link, s.link_keys, s.controller, s.controller_keys, s.io_timeout, s.joins, s.founders, s.party,
                      s.restart_folder, s.restarted, s.protect_folder);
}

TEST_F(SettingsTest, AFlagGoesToTheMemberOfItsName) {
    const auto settings = read({"--nereus-process-method=baseline-intra",
                                "--nereus-process-strategies=single+asynchronous",
                                "--nereus-transfer-method=col",
                                "--nereus-transfer-strategy=wait-drains",
                                "--nereus-costs=/home/a/costs.json",
                                "--nereus-results=run.jsonl",
                                "--nereus-save=saved",
                                "--nereus-save-every=600",
                                "--nereus-protect-every=30",
                                "--nereus-resume=saved/epoch-3",
                                "--nereus-memory=shared",
                                "--nereus-survivors=least-movement",
                                "--nereus-transfer-memory=100000",
                                "--nereus-wake=off",
                                "--nereus-hosts=n1:2,n2",
                                "--nereus-placement=spread",
                                "--nereus-oversubscribe=on",
                                "--nereus-allow-fewer=on",
                                "--nereus-release-unit=rank",
                                "--nereus-start-ranks=6",
                                "--nereus-verify=on",
                                "--nereus-max-ranks=12",
                                "--nereus-outside-requests=off",
                                "--nereus-balance=on",
                                "--nereus-connect-timeout=0.5",
                                "--nereus-answer-timeout=7",
                                "--nereus-slowest-rate=1e3",
                                "--nereus-message-bytes=4096",
                                "--nereus-background-share=0.5",
                                "--nereus-background-share-rma=0.25",
                                "--nereus-background-share-thread=1",
                                "--nereus-job=0123456789abcdef",
                                "--nereus-link=ipc:///run/link",
                                "--nereus-link-keys=/home/a/keys",
                                "--nereus-controller=tcp://n1:7",
                                "--nereus-controller-keys=client.json",
                                "--nereus-io-timeout=0.25",
                                "--nereus-joins=on",
                                "--nereus-founders=5",
                                "--nereus-party=3.0",
                                "--nereus-restart-folder=/dev/shm/between",
                                "--nereus-restarted=on",
                                "--nereus-protect-folder=/dev/shm/epochs"});
    ASSERT_TRUE(settings) << settings.error().what;
    EXPECT_EQ(members(*settings),
              std::tuple(2, 3U, 1, 2, "/home/a/costs.json", "run.jsonl", "saved", 600.0, 30.0, "saved/epoch-3", 1, 1,
                         std::int64_t{100000}, false, "n1:2,n2", 1, 1, 1, 2, 6, true, 12, false, true, 0.5, 7.0, 1000.0,
                         std::int64_t{4096}, 0.5, 0.25, 1.0, "0123456789abcdef", "ipc:///run/link", "/home/a/keys",
                         "tcp://n1:7", "client.json", 0.25, true, 5, "3.0", "/dev/shm/between", true,
                         "/dev/shm/epochs"));
}

TEST_F(SettingsTest, TheEnvironmentIsRead) {
    const Variable method("NEREUS_PROCESS_METHOD", "baseline-inter");
    EXPECT_EQ(read({}).value().resize.process_method, 1);
}

TEST_F(SettingsTest, AnArgumentOverrulesTheEnvironment) {
    const Variable method("NEREUS_TRANSFER_METHOD", "p2p");
    EXPECT_EQ(read({"--nereus-transfer-method=col"}).value().resize.transfer_method, 1);
}

TEST_F(SettingsTest, TheLastOfTwoArgumentsApplies) {
    EXPECT_EQ(read({"--nereus-max-ranks=3", "--nereus-max-ranks=4"}).value().max_ranks, 4);
}

TEST_F(SettingsTest, ArgumentsOfTheApplicationAreNotTouched) {
    EXPECT_EQ(values(read({"--verify=on", "nereus-verify=on", "-n", "7", ""}).value()), values(Settings{}));
}

TEST_F(SettingsTest, ABadValueIsRefusedWithWhatIsAllowed) {
    EXPECT_EQ(sentence_for("--nereus-process-method=spawn"),
              "--nereus-process-method = spawn: allowed is merge, baseline-inter, baseline-intra, restart");
    EXPECT_EQ(sentence_for("--nereus-max-ranks=0"), "--nereus-max-ranks = 0: allowed is 1 .. 2147483647 processes");
    EXPECT_EQ(sentence_for("--nereus-connect-timeout=-1"), "--nereus-connect-timeout = -1: allowed is 0.1 .. 1e6 s");
    EXPECT_EQ(sentence_for("--nereus-verify"), "--nereus-verify = (empty): allowed is on, off");
}

TEST_F(SettingsTest, StrategiesThatExcludeOneAnotherAreRefused) {
    EXPECT_EQ(sentence_for("--nereus-process-strategies=single+parallel"),
              "--nereus-process-strategies = single+parallel: process strategies single+parallel exclude one another: "
              "with single rank 0 alone spawns, with parallel every process does");
    EXPECT_EQ(read({"--nereus-process-strategies=none"}).value().resize.process_strategies, 0U);
}

TEST_F(SettingsTest, AHostListThatCannotBeReadIsRefused) {
    for (const char *hosts : {"n1:0", "n1,n1", ":2", "n1,,n2", "n1 n2", "-n1"})
        EXPECT_EQ(sentence_for("--nereus-hosts=" + std::string(hosts)),
                  "--nereus-hosts = " + std::string(hosts) +
                      ": allowed is NAME:SLOTS,NAME,... with 1 .. 1048576 slots (1 if not given), or empty");
}

TEST_F(SettingsTest, AnEmptyTextInTheEnvironmentIsNoText) {
    const Variable hosts("NEREUS_HOSTS", ""), job("NEREUS_JOB", ""), link("NEREUS_LINK", ""), party("NEREUS_PARTY", "");
    EXPECT_EQ(values(read({}).value()), values(Settings{}));
}

TEST_F(SettingsTest, WhatNoSupervisorSetsIsRefused) {
    for (const char *argument : {"job=0123456789abcde", "job=0123456789ABCDEF", "link=/run/link", "link=ipc://",
                                 "link=udp://a:1", "party=1", "party=-1.0", "party=1.", "party=.1", "party=1.-1",
                                 "party=1.1.1", "party=1.1 ", "start-ranks=-1", "founders=-1"})
        EXPECT_NE(sentence_for("--nereus-" + std::string(argument)), "accepted") << argument;
}

TEST_F(SettingsTest, ABadValueOfTheEnvironmentNamesTheVariable) {
    const Variable bytes("NEREUS_MESSAGE_BYTES", "1G");
    const auto settings = read({});
    ASSERT_FALSE(settings);
    EXPECT_EQ(settings.error().what, "NEREUS_MESSAGE_BYTES = 1G: allowed is 1 .. 2147483647 B");
}

TEST_F(SettingsTest, AMisspeltSettingIsNotIgnored) {
    EXPECT_EQ(sentence_for("--nereus-max-rank=3"),
              "--nereus-max-rank: there is no such setting; docs/reference/settings.md lists them");
}

TEST_F(SettingsTest, NumbersJustOutsideTheirRangeAreRefused) {
    for (const char *value : {"0", "-1", "2147483648", "1.5", "1e3", " 1", "1 ", "+1", "0x10", "99999999999999999999"})
        for (const char *name : {"max-ranks", "message-bytes"})
            EXPECT_NE(sentence_for("--nereus-" + std::string(name) + "=" + value), "accepted") << name << " " << value;
    for (const char *value : {"0", "-1", "nan", "inf", "1e7", "1s", "1,5", "", "0.0999"})
        for (const char *name : {"connect-timeout", "answer-timeout"})
            EXPECT_NE(sentence_for("--nereus-" + std::string(name) + "=" + value), "accepted") << name << " " << value;
}

TEST_F(SettingsTest, BothEndsOfARangeAreAccepted) {
    for (const char *argument : {"max-ranks=1", "max-ranks=2147483647", "message-bytes=1", "message-bytes=2147483647",
                                 "connect-timeout=0.1", "answer-timeout=1e6", "slowest-rate=1e-3", "slowest-rate=1e6"})
        EXPECT_EQ(sentence_for("--nereus-" + std::string(argument)), "accepted") << argument;
}

RC_GTEST_FIXTURE_PROP(SettingsTest, ARefusedValueChangesNothing, ()) {
    const SettingRow row = *rc::gen::elementOf(settings_table());
    Settings settings;
    if (!row.form.set(settings, *rc::gen::arbitrary<std::string>())) RC_ASSERT(values(settings) == values(Settings{}));
}

/// Of texts that are numbers as often as not: few of any others are values of a setting.
std::string any_value(const SettingRow &row) {
    switch (*rc::gen::inRange(0, 4)) {
    case 0:
        return row.initial;
    case 1:
        return std::to_string(*rc::gen::inRange<std::int64_t>(0, INT64_MAX));
    case 2:
        return std::to_string(*rc::gen::inRange(1, 1000000000) / 1e9);
    default:
        return *rc::gen::elementOf(usual_values);
    }
}

Settings any_settings() {
    Settings settings;
    for (const SettingRow &row : settings_table()) row.form.set(settings, any_value(row));
    return settings;
}

RC_GTEST_FIXTURE_PROP(SettingsTest, WhatIsWrittenOfARowIsReadAsTheSameValue, ()) {
    const Settings settings = any_settings();
    Settings read;
    for (const SettingRow &row : settings_table()) RC_ASSERT(row.form.set(read, row.form.get(settings)));
    RC_ASSERT(values(read) == values(settings));
}

TEST_F(SettingsTest, DefaultsAreWrittenAsTheTableHasThem) {
    for (const SettingRow &row : settings_table()) EXPECT_EQ(row.form.get(Settings{}), row.initial) << row.name;
}

TEST_F(SettingsTest, BothEndsOfARangeAreWrittenAndReadBack) {
    for (const char *argument : {"max-ranks=1",
                                 "max-ranks=2147483647",
                                 "start-ranks=0",
                                 "start-ranks=2147483647",
                                 "founders=2147483647",
                                 "message-bytes=1",
                                 "message-bytes=2147483647",
                                 "transfer-memory=65536",
                                 "transfer-memory=4611686018427387904",
                                 "connect-timeout=0.1",
                                 "connect-timeout=1e6",
                                 "answer-timeout=0.1",
                                 "answer-timeout=1e6",
                                 "slowest-rate=1e-3",
                                 "slowest-rate=1e6",
                                 "background-share=0.001",
                                 "background-share=1",
                                 "io-timeout=0",
                                 "io-timeout=1e6",
                                 "answer-timeout=0.10000000000000002"}) {
        const Settings settings = read({"--nereus-" + std::string(argument)}).value();
        Settings again;
        for (const SettingRow &row : settings_table()) EXPECT_TRUE(row.form.set(again, row.form.get(settings)));
        EXPECT_EQ(values(again), values(settings)) << argument;
    }
}

std::vector<std::string> names_of_own() {
    std::vector<std::string> names;
    for (const SettingRow &row : settings_table())
        if (!row.own_because.empty()) names.push_back(row.name);
    return names;
}

TEST_F(SettingsTest, FewAreOfOneProcessAlone) {
    EXPECT_EQ(names_of_own(),
              (std::vector<std::string>{"resume", "controller", "controller-keys", "restarted", "founders", "party"}));
}

RC_GTEST_FIXTURE_PROP(SettingsTest, ANewcomerTakesAllButWhatIsItsOwn, ()) {
    const Settings job = any_settings(), own = any_settings();
    const auto taken = with_settings_of_job(own, texts_of_job(job));
    RC_ASSERT(taken.has_value());
    for (const SettingRow &row : settings_table())
        RC_ASSERT(row.form.get(*taken) == row.form.get(row.own_because.empty() ? job : own));
}

std::string sentence_for_texts(const std::map<std::string, std::string> &texts) {
    const auto settings = with_settings_of_job(Settings{}, texts);
    if (settings) return "accepted";
    EXPECT_EQ(settings.error().code, NEREUS_ERR_SETTING);
    return settings.error().what;
}

TEST_F(SettingsTest, TextsThatCannotBeThoseOfAJobAreRefused) {
    const auto good = texts_of_job(Settings{});
    auto bad = good;
    bad["verify"] = "maybe";
    EXPECT_EQ(sentence_for_texts(bad), "verify = maybe: allowed is on, off");
    bad = good;
    bad.erase("max-ranks");
    EXPECT_EQ(sentence_for_texts(bad), "max-ranks: it is missing");
    for (const char *name : {"party", "no-such-setting"}) {
        bad = good;
        bad[name] = "";
        EXPECT_EQ(sentence_for_texts(bad), std::string(name) + ": no job has such a setting");
    }
}

std::string quoted(const std::string &text) { return "`" + text + "`"; }

std::string page_row(const SettingRow &row) {
    const std::string unit = row.unit.empty() ? "" : row.unit + " ";
    const std::string initial = row.initial.empty() ? "" : quoted(row.initial) + " ";
    return "| " + quoted("--nereus-" + row.name) + " | " + quoted(environment_name(row)) + " | " + initial + "| " +
           unit + "| " + row.allowed + " | " + row.help + " |";
}

std::vector<std::string> rows_of_page() {
    std::ifstream page(NEREUS_SETTINGS_PAGE);
    std::vector<std::string> rows;
    for (std::string line; std::getline(page, line);)
        if (line.starts_with("| `--nereus-")) rows.push_back(line);
    return rows;
}

TEST_F(SettingsTest, TheReferencePageListsEverySettingAsItIs) {
    std::vector<std::string> expected;
    for (const SettingRow &row : settings_table()) expected.push_back(page_row(row));
    EXPECT_EQ(rows_of_page(), expected) << "docs/reference/settings.md and src/base/settings.cpp differ";
}

}
}
