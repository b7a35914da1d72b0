// SPDX-License-Identifier: BSD-3-Clause
// Failures that a run plans: what is read of them, when they happen, and who dies.
#include <gtest/gtest.h>

#include "planned_failures.hpp"
#include "run.hpp"

using namespace emulator;

namespace {

Json failing_run() {
    return Json::parse(R"({
      "format": "nereus-run", "version": 1, "name": "a", "seed": 42, "barrier": false, "capture": "max",
      "verify": true, "data": {"constant_bytes": 0, "variable_bytes": 8, "element_bytes": 8}, "weights": [1.0],
      "scratch": "/", "phases": [{"iterations": 60, "stages": [{"type": "pi", "seconds": 0.05, "bytes": 0,
      "granularity": 600, "capped": false, "id": null, "ranks": 0}]}],
      "groups": [{"iterations": 60, "ranks": 2, "factor": 1.0, "placement": "compact", "process_method": "merge",
      "process_strategies": [], "transfer_method": "p2p", "transfer_strategy": "blocking"}],
      "protection": {"level": "disk", "every": 10.5, "recoveries": 3},
      "failures": [{"iteration": 3, "what": "rank", "rank": null}, {"iteration": 9, "what": "host", "rank": 1}]})");
}

std::string complaint_about_failing(const Json &run) {
    const Result<Run> parsed = parse_run("run.json", run.dump());
    return parsed ? "nothing" : parsed.error().sentence;
}

std::string failing_complaint_with(const std::string &pointer, const Json &value) {
    Json run = failing_run();
    run[Json::json_pointer(pointer)] = value;
    return complaint_about_failing(run);
}

} // namespace

TEST(PlannedFailuresOfARunFile, AreReadWithWhatProtectsFromThem) {
    const auto run = parse_run("run.json", failing_run().dump());
    ASSERT_TRUE(run) << run.error().sentence;
    EXPECT_EQ(run->protection, Protection::on_disk);
    ASSERT_EQ(run->failures.size(), 2U);
    EXPECT_EQ(run->failures[0].iteration, 3);
    EXPECT_FALSE(run->failures[0].whole_host);
    EXPECT_EQ(run->failures[0].rank, -1);
    EXPECT_TRUE(run->failures[1].whole_host);
    EXPECT_EQ(run->failures[1].rank, 1);
}

TEST(PlannedFailuresOfARunFile, MayBeMissingAsInFilesOfBefore) {
    Json run = failing_run();
    run.erase("failures");
    EXPECT_EQ(parse_run("run.json", run.dump())->protection, Protection::on_disk);
    run["protection"] = {{"level", "memory"}, {"every", "auto"}};
    EXPECT_EQ(parse_run("run.json", run.dump())->protection, Protection::in_memory);
    run.erase("protection");
    EXPECT_EQ(parse_run("run.json", run.dump())->protection, Protection::none);
}

TEST(PlannedFailuresOfARunFile, AreRefusedWhereTheyCannotBe) {
    Json unprotected = failing_run();
    unprotected.erase("protection");
    EXPECT_NE(complaint_about_failing(unprotected).find("run.json: failures: found"), std::string::npos);
    EXPECT_EQ(failing_complaint_with("/failures/1/iteration", 3),
              "run.json: failures[1].iteration: found 3, allowed an iteration after the one before");
    EXPECT_EQ(failing_complaint_with("/failures/0/iteration", 0),
              "run.json: failures[0].iteration: found 0, allowed an integer 1 .. 1099511627776");
    EXPECT_EQ(failing_complaint_with("/failures/0/what", "node"),
              "run.json: failures[0].what: found \"node\", allowed rank, host");
    EXPECT_EQ(failing_complaint_with("/protection/level", "tape"),
              "run.json: protection.level: found \"tape\", allowed memory, disk");
    for (const auto &[pointer, value] : std::vector<std::pair<std::string, Json>>{{"/failures/0/rank", -1},
                                                                                  {"/failures/0/when", 1},
                                                                                  {"/failures", 7},
                                                                                  {"/protection", "disk"},
                                                                                  {"/protection/every", 0},
                                                                                  {"/protection/every", "often"},
                                                                                  {"/protection/recoveries", -1},
                                                                                  {"/protection/folder", "x"},
                                                                                  {"/resizes", "commanded"}})
        EXPECT_NE(failing_complaint_with(pointer, value), "nothing") << pointer << " = " << value;
}

TEST(PlannedFailuresOfARun, HappenOnce) {
    const std::vector<FailureSpec> all{{3, false, -1}, {9, true, 1}};
    const PlannedFailures at_first(all, 0);
    EXPECT_EQ(at_first.at(3), &all[0]);
    EXPECT_EQ(at_first.at(4), nullptr);
    EXPECT_EQ(at_first.at(9), &all[1]);
    const PlannedFailures after_one(all, 1);
    EXPECT_EQ(after_one.at(3), nullptr);
    EXPECT_EQ(after_one.at(9), &all[1]);
    EXPECT_EQ(PlannedFailures(all, 7).at(9), nullptr);
}

TEST(PlannedFailuresOfARun, EndTheRankOrAllOnItsHost) {
    const std::vector<std::string> hosts{"a", "b", "a", "b", "b"};
    EXPECT_EQ(dying({3, false, 1}, hosts).ranks, (std::vector<int>{1}));
    EXPECT_EQ(dying({3, true, 1}, hosts).ranks, (std::vector<int>{1, 3, 4}));
    EXPECT_EQ(dying({3, true, 0}, hosts).ranks, (std::vector<int>{0, 2}));
}

TEST(PlannedFailuresOfARun, EndTheLastRankWhereTheirOwnIsNotThere) {
    const std::vector<std::string> hosts{"a", "b", "a"};
    for (const std::int64_t rank : {std::int64_t{-1}, std::int64_t{3}, std::int64_t{2'000'000'000}}) {
        EXPECT_EQ(dying({3, false, rank}, hosts).rank, 2);
        EXPECT_EQ(dying({3, false, rank}, hosts).ranks, (std::vector<int>{2}));
    }
}
