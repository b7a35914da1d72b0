// SPDX-License-Identifier: BSD-3-Clause
// Stages on one process: they do their work, end, and leave nothing behind.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>

#include "random.hpp"
#include "stage.hpp"

using namespace emulator;

namespace {

class StageOnOneRank : public ::testing::Test {
protected:
    // MPI cannot be started a second time in a process; this is the only suite here that uses it.
    static void SetUpTestSuite() { MPI_Init(nullptr, nullptr); }
    static void TearDownTestSuite() { MPI_Finalize(); }

    void SetUp() override {
        team_ = team_of(MPI_COMM_SELF);
        std::string name = (std::filesystem::temp_directory_path() / "nereus-stage-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        place_.scratch = name;
        place_.file_name = "part";
    }
    void TearDown() override { std::filesystem::remove_all(place_.scratch); }

    std::unique_ptr<Stage> make(const char *word, std::int64_t bytes, std::int64_t granularity) {
        StageSpec spec;
        spec.type = stage_type(word);
        spec.bytes = bytes;
        spec.granularity = granularity;
        spec.id = 1;
        return spec.type->make(spec, team_, place_);
    }

    Team team_;
    Workplace place_;
};

} // namespace

TEST_F(StageOnOneRank, CommunicatesWithItselfWithoutADeadlock) {
    for (const char *word : {"p2p", "bcast", "allgather", "reduce", "allreduce"})
        for (const std::int64_t bytes : {1, 3, 1 << 20}) EXPECT_NO_THROW(make(word, bytes, 1)->run(3));
}

TEST_F(StageOnOneRank, BeginsMoreMessagesThanCanBeUnderWay) {
    const auto begin = make("ip2p", 0, 100);
    const auto wait = make("wait", 0, 1);
    begin->run(1000);
    wait->run(1);
    begin->run(1);
    begin->complete();
    wait->run(1);
}

TEST_F(StageOnOneRank, LeavesNoFile) {
    for (const char *word : {"write", "read"}) {
        const auto stage = make(word, 3 << 20, 1);
        EXPECT_TRUE(std::filesystem::is_empty(place_.scratch));
        stage->run(2);
        EXPECT_FALSE(stage->trouble());
    }
    EXPECT_TRUE(std::filesystem::is_empty(place_.scratch));
}

TEST_F(StageOnOneRank, SaysWhyAFileCannotBeWritten) {
    place_.file_name = "missing/part";
    const auto stage = make("write", 100, 1);
    stage->run(1);
    ASSERT_TRUE(stage->trouble());
    EXPECT_NE(stage->trouble()->find("missing/part: No such file"), std::string::npos);
}

TEST_F(StageOnOneRank, TakesOverNoFileThatIsThere) {
    std::ofstream(place_.scratch + "/part") << "mine";
    EXPECT_TRUE(make("write", 100, 1)->trouble());
    EXPECT_EQ(std::filesystem::file_size(place_.scratch + "/part"), 4U);
}

TEST(Samples, AreRandomAndCoverTheSquare) {
    RandomLanes random(42);
    std::int64_t hits = 0;
    constexpr int draws = 20000;
    for (int i = 0; i < draws; ++i) {
        const RandomLanes::Floats x = random.next();
        const RandomLanes::Floats y = random.next();
        for (std::size_t lane = 0; lane < RandomLanes::lanes; ++lane) {
            ASSERT_TRUE(x[lane] >= 0 && x[lane] < 1);
            hits += x[lane] * x[lane] + y[lane] * y[lane] < 1;
        }
    }
    // The seed is fixed, so this never varies; the bound is 4 standard deviations.
    EXPECT_NEAR(4.0 * static_cast<double>(hits) / (draws * 16.0), 3.14159, 0.012);
}

TEST(Samples, OfTwoRanksAndOfTwoLanesDiffer) {
    RandomLanes first(stream_seed(42, 0, 0));
    RandomLanes second(stream_seed(42, 1, 0));
    const RandomLanes::Floats a = first.next();
    const RandomLanes::Floats b = second.next();
    EXPECT_NE(a, b);
    EXPECT_NE(a[0], a[1]);
}
