// SPDX-License-Identifier: BSD-3-Clause
// How asked times become operations, and times of ranks become figures.
#include <array>

#include <gtest/gtest.h>

#include "calibration.hpp"
#include "records.hpp"

using namespace emulator;

TEST(Operations, AreThoseThatComeClosestToTheAskedTime) {
    EXPECT_EQ(operations_for(0.1, 0.03), 3);
    EXPECT_EQ(operations_for(0.1, 0.02), 5);
    EXPECT_EQ(operations_for(3600, 1e-9), 3600000000000);
}

TEST(Operations, AreNeverNoneWhereTimeWasAskedFor) {
    EXPECT_EQ(operations_for(0.001, 5), 1);
    EXPECT_GE(operations_for(0.001, 0), 1);
    EXPECT_EQ(operations_for(0, 0.1), 0);
}

TEST(AskedTime, FollowsFactorAndTheWeightOfTheRank) {
    StageSpec stage;
    stage.type = stage_type("pi");
    stage.seconds = 0.5;
    GroupSpec group;
    group.factor = 2;
    group.weights = {1.0, 3.0};
    EXPECT_DOUBLE_EQ(asked_seconds(stage, group, 0, 0), 1.0);
    EXPECT_DOUBLE_EQ(asked_seconds(stage, group, 1, 0), 3.0);
    EXPECT_DOUBLE_EQ(asked_seconds(stage, group, 2, 0), 1.0);
    stage.type = stage_type("allreduce");
    EXPECT_DOUBLE_EQ(asked_seconds(stage, group, 1, 0), 1.0);
    stage.scaled = false;
    EXPECT_DOUBLE_EQ(asked_seconds(stage, group, 1, 0), 0.5);
}

TEST(AskedTime, IsThatOfTheGroupWhereItHasItsOwn) {
    StageSpec stage;
    stage.type = stage_type("pi");
    stage.seconds = 0.5;
    GroupSpec group;
    group.factor = 2;
    group.weights = {1.0, 3.0};
    group.times = {9.0, 0.25};
    EXPECT_DOUBLE_EQ(asked_seconds(stage, group, 1, 1), 0.75);
}

TEST(Calibration, IsSparedWhereTheNumberOfOperationsIsKnown) {
    StageSpec stage;
    stage.type = stage_type("pi");
    stage.seconds = 0.5;
    EXPECT_TRUE(needs_calibration(stage));
    stage.type = stage_type("bcast");
    EXPECT_TRUE(needs_calibration(stage));
    stage.bytes = 8;
    EXPECT_FALSE(needs_calibration(stage));
    stage.type = stage_type("pi");
    EXPECT_TRUE(needs_calibration(stage));
    stage.seconds = 0;
    EXPECT_FALSE(needs_calibration(stage));
}

TEST(Calibration, DoesAnOperationOfGivenBytesOnce) {
    struct Counting final : Stage {
        void run(std::int64_t operations) override { done += operations; }
        std::int64_t done = 0;
    } counting;
    StageSpec stage;
    stage.type = stage_type("write");
    stage.bytes = 100;
    const StagePlan plan = calibrate(counting, stage, {}, {}, 0.0);
    EXPECT_EQ(plan.operations, 1);
    EXPECT_EQ(counting.done, 0);
}

TEST(Capture, MakesTheFigureThatTheRunFileNames) {
    const std::array values{4.0, 1.0, 10.0, 2.0};
    EXPECT_DOUBLE_EQ(capture(Capture::max, values), 10.0);
    EXPECT_DOUBLE_EQ(capture(Capture::mean, values), 4.25);
    EXPECT_DOUBLE_EQ(capture(Capture::median, values), 3.0);
    EXPECT_DOUBLE_EQ(capture(Capture::median, std::span(values).first(3)), 4.0);
}

TEST(Cores, LeaveShortComputationAloneEvenWhereRanksShareThem) {
    constexpr double short_stage = Cores::one_turn / 2, long_stage = Cores::one_turn * 2;
    const Cores own{2, 2}, shared{4, 2};
    EXPECT_TRUE(own.leave_alone(short_stage) && own.leave_alone(long_stage));
    EXPECT_TRUE(shared.leave_alone(short_stage));
    EXPECT_FALSE(shared.leave_alone(long_stage));
}
