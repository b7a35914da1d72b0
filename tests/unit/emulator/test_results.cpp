// SPDX-License-Identifier: BSD-3-Clause
// The result file: what a reader relies on, whatever becomes of the run.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/lines_file.hpp"
#include "events.hpp"

using namespace emulator;

namespace {

class Results : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "nereus-results-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string path() const { return (folder_ / "run.jsonl").string(); }
    std::vector<std::string> lines() const {
        std::vector<std::string> found;
        std::ifstream stream(path());
        for (std::string line; std::getline(stream, line);) found.push_back(line);
        return found;
    }

    std::filesystem::path folder_;
};

std::vector<std::string> names_of(const std::vector<Json> &events) {
    std::vector<std::string> names;
    for (const Json &event : events) names.push_back(event.at("event"));
    return names;
}

} // namespace

TEST_F(Results, AreOnDiskLineByLineWhileTheRunGoesOn) {
    nereus::LinesFile writer(path(), nereus::LinesFile::Start::anew);
    writer.write({{"event", "header"}});
    EXPECT_EQ(lines(), std::vector<std::string>{R"({"event":"header"})"});
    writer.write({{"event", "finished"}});
    EXPECT_EQ(lines().size(), 2U);
}

TEST_F(Results, OfAnEarlierRankZeroAreKeptByTheNext) {
    nereus::LinesFile(path(), nereus::LinesFile::Start::anew).write({{"event", "header"}});
    nereus::LinesFile(path(), nereus::LinesFile::Start::append).write({{"event", "committed"}});
    EXPECT_EQ(lines().size(), 2U);
}

TEST_F(Results, OfAnEarlierRunAreReplaced) {
    nereus::LinesFile(path(), nereus::LinesFile::Start::anew).write({{"event", "old"}});
    nereus::LinesFile(path(), nereus::LinesFile::Start::anew).write({{"event", "new"}});
    EXPECT_EQ(lines(), std::vector<std::string>{R"({"event":"new"})"});
}

TEST_F(Results, ThatCannotBeWrittenAreTrouble) {
    const nereus::LinesFile writer((folder_ / "missing" / "run.jsonl").string(), nereus::LinesFile::Start::anew);
    EXPECT_FALSE(writer.is_open());
    ASSERT_TRUE(writer.trouble());
    EXPECT_NE(writer.trouble()->find("No such file"), std::string::npos);
}

TEST(Events, TellHowEachSourceLeft) {
    nereus_resize_report report{};
    report.request = 3;
    report.left = 2;
    report.parked = 1;
    report.verified = -1;
    const std::vector<Json> events = committed_events(report, {});
    EXPECT_EQ(names_of(events),
              (std::vector<std::string>{"processes_ready", "constant_sent", "committed", "left", "left"}));
    EXPECT_TRUE(events[2].at("verified").is_null());
    EXPECT_EQ(events[3].at("how"), "exited");
    EXPECT_EQ(events[4].at("how"), "parked");
}

TEST(Events, SumTheBytesThatAResizeMoved) {
    nereus_resize_report report{};
    report.constant_bytes = 100;
    report.variable_bytes = 20;
    report.verified = 1;
    const std::vector<Json> events = committed_events(report, {});
    EXPECT_EQ(names_of(events), (std::vector<std::string>{"processes_ready", "constant_sent", "committed"}));
    EXPECT_EQ(events[2].at("bytes_moved"), 120);
    EXPECT_EQ(events[2].at("shared_bytes"), 0);
    EXPECT_EQ(events[2].at("verified"), true);
}

TEST(Events, TellTheStrategiesThatWereUsedAndWhoWasWoken) {
    nereus_resize_report report{};
    report.process_strategies = NEREUS_JOIN | NEREUS_ASYNCHRONOUS;
    report.process_seconds = 0.5;
    report.connect_seconds = 0.125;
    report.woken = 3;
    const std::vector<Json> events = committed_events(report, {});
    EXPECT_EQ(events[0].at("strategies"), Json::array({"asynchronous", "join"}));
    EXPECT_EQ(events[0].at("seconds"), 0.5);
    EXPECT_EQ(events[0].at("connect_seconds"), 0.125);
    EXPECT_EQ(events[0].at("woken"), 3);
    EXPECT_EQ(events[2].at("process_strategies"), Json::array({"asynchronous", "join"}));
}

TEST(Events, TellWhichIterationsWereMadeWhileConstantDataMoved) {
    nereus_resize_report report{};
    report.transfer_method = NEREUS_RMA_LOCKALL;
    report.transfer_strategy = NEREUS_WAIT_DRAINS;
    const std::vector<Json> events = committed_events(report, {30, 5});
    EXPECT_EQ(events[1].at("method"), "rma-lockall");
    EXPECT_EQ(events[1].at("strategy"), "wait-drains");
    EXPECT_EQ(events[1].at("iterations"), 5);
    EXPECT_EQ(events[1].at("first_iteration"), 25);
    EXPECT_EQ(events[2].at("transfer_strategy"), "wait-drains");
}

TEST(Events, TellAPredictionOnlyWhereThereWasOne) {
    nereus_resize_report report{};
    report.predicted_seconds = -1;
    report.shared_bytes = 1000;
    EXPECT_TRUE(committed_events(report, {})[2].at("predicted_seconds").is_null());
    EXPECT_EQ(committed_events(report, {})[2].at("shared_bytes"), 1000);
    report.predicted_seconds = 0.25;
    EXPECT_EQ(committed_events(report, {})[2].at("predicted_seconds"), 0.25);
}
