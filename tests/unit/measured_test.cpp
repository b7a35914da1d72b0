// SPDX-License-Identifier: BSD-3-Clause
#include "job/timing/stage_timer.hpp"

#include "base/clock.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <thread>

namespace nereus::job {
namespace {

constexpr double long_ago = 0.02;

void take_long() { std::this_thread::sleep_for(std::chrono::duration<double>(long_ago)); }

void iterate(Measured &measured) {
    ASSERT_TRUE(measured.begin_stage("product", NEREUS_STAGE_COMPUTE, 0));
    ASSERT_TRUE(measured.end_stage());
    measured.enter_checkpoint();
}

double seconds_of(const Measured &measured) { return nlohmann::json::parse(measured.text()).at("seconds"); }

TEST(Measured, MakingTheProblemIsNoIteration) {
    const double begin = now();
    Measured measured;
    measured.begin_job();
    take_long();
    iterate(measured);
    EXPECT_LE(seconds_of(measured), now() - begin - long_ago);
}

TEST(Measured, WithoutStagesTheFirstIterationBeginsAtOnce) {
    Measured measured;
    measured.begin_job();
    take_long();
    measured.enter_checkpoint();
    EXPECT_GE(seconds_of(measured), long_ago);
}

TEST(Measured, APauseOfAResizeIsNotToldTwice) {
    const double begin = now();
    Measured measured;
    measured.begin_generation();
    iterate(measured);
    measured.belongs_to_a_resize();
    take_long();
    measured.leave_checkpoint();
    iterate(measured);
    EXPECT_LE(seconds_of(measured), now() - begin - long_ago);
}

TEST(Measured, TheCheckpointsThatChangeNothingAreInTheTime) {
    Measured measured;
    measured.begin_generation();
    iterate(measured);
    take_long();
    measured.leave_checkpoint();
    EXPECT_GE(seconds_of(measured), long_ago);
}

}
}
