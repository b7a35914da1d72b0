// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: calls that a capture is made of, in their order and with their times.
#include "record/timed_calls.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

namespace nereus::monitor {
namespace {

using testing::ElementsAre;

class TimedCallsTest : public testing::Test {
protected:
    TimedCallsTest() {
        char name[] = "/tmp/nereus-timed-XXXXXX";
        folder = mkdtemp(name);
    }
    ~TimedCallsTest() override { std::filesystem::remove_all(folder); }

    std::unique_ptr<TimedCalls> begin(std::uint64_t most = 1 << 20) {
        return std::move(*TimedCalls::begin({folder, "it", most}));
    }

    std::vector<CallRow> rows() const {
        std::ifstream file(folder + "/it.calls", std::ios::binary);
        std::vector<CallRow> all;
        for (CallRow row{}; file.read(reinterpret_cast<char *>(&row), sizeof row);) all.push_back(row);
        return all;
    }

    nlohmann::json facts() const { return nlohmann::json::parse(std::ifstream(folder + "/it.json")); }

    std::string folder;
};

Moment later(Moment moment, std::int64_t wall, std::int64_t core) { return {moment.wall + wall, moment.core + core}; }

const CallShape send{.call = "Send", .group = 1, .processes = 2, .peer = 1, .bytes = 8};
const CallShape test{.call = "Test"};

TEST_F(TimedCallsTest, HaveTheirTimesAndTheComputingBeforeThem) {
    const auto calls = begin();
    Moment at = Moment::now();
    calls->note(send, at, later(at, 1000, 900));
    calls->note(send, later(at, 5000, 2900), later(at, 7000, 3000));
    ASSERT_TRUE(calls->end({{"rank", 0}}));
    ASSERT_EQ(rows().size(), 2U);
    EXPECT_EQ(rows()[1].in_call, 2000);
    EXPECT_EQ(rows()[1].computed, 2000);
    EXPECT_EQ(rows()[1].had_core, 100);
    EXPECT_EQ(rows()[1].begin - rows()[0].begin, 5000);
}

TEST_F(TimedCallsTest, AreToldByWhatTheyDo) {
    const auto calls = begin();
    const Moment at = Moment::now();
    CallShape larger = send;
    larger.bytes = 16;
    for (const CallShape &shape : {send, larger, send}) calls->note(shape, at, at);
    ASSERT_TRUE(calls->end({}));
    EXPECT_THAT((std::vector{rows()[0].shape, rows()[1].shape, rows()[2].shape}), ElementsAre(0, 1, 0));
    EXPECT_EQ(facts()["shapes"].dump(), R"([{"bytes":8,"call":"Send","group":1,"peer":1,"processes":2},)"
                                        R"({"bytes":16,"call":"Send","group":1,"peer":1,"processes":2}])");
}

TEST_F(TimedCallsTest, LooksInVainOneBehindTheOtherAreOneRow) {
    const auto calls = begin();
    const Moment at = Moment::now();
    for (int i = 0; i < 1000; ++i) calls->note_in_vain(test, later(at, 100 * i, 0), later(at, 100 * i + 50, 0));
    calls->note(test, later(at, 200'000, 0), later(at, 200'010, 0));
    ASSERT_TRUE(calls->end({}));
    ASSERT_EQ(rows().size(), 2U);
    EXPECT_EQ(rows()[0].in_vain, 1000U);
    EXPECT_EQ(rows()[0].in_call, 99'950);
    EXPECT_EQ(rows()[1].in_vain, 0U);
}

TEST_F(TimedCallsTest, LooksInVainBetweenWhichTheProgramComputesAreKeptApart) {
    const auto calls = begin();
    const Moment at = Moment::now();
    for (int i = 0; i < 3; ++i) calls->note_in_vain(test, later(at, 50'000 * i, 0), later(at, 50'000 * i + 50, 0));
    ASSERT_TRUE(calls->end({}));
    EXPECT_EQ(rows().size(), 3U);
}

TEST_F(TimedCallsTest, BeyondTheLimitAreCountedAndNotKept) {
    const auto calls = begin(10'000);
    const Moment at = Moment::now();
    for (int i = 0; i < 25'000; ++i) calls->note(send, later(at, i, i), later(at, i, i));
    ASSERT_TRUE(calls->end({}));
    EXPECT_EQ(rows().size(), 10'000U);
    EXPECT_EQ(facts()["calls"], 25'000);
    EXPECT_EQ(facts()["rows"], 10'000);
}

TEST_F(TimedCallsTest, OfManySizesStayBounded) {
    const auto calls = begin();
    const Moment at = Moment::now();
    CallShape each = send;
    for (each.bytes = 0; each.bytes < 100'000; ++each.bytes) calls->note(each, at, at);
    ASSERT_TRUE(calls->end({}));
    EXPECT_LE(facts()["shapes"].size(), 65'600U);
    EXPECT_EQ(rows().size(), 100'000U);
}

TEST(TimedCalls, AreRefusedWhereTheFolderIsNone) {
    const auto made = TimedCalls::begin({"/nowhere/at/all", "it", 10});
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().what, testing::HasSubstr("/nowhere/at/all/it.calls"));
}

}
}
