// SPDX-License-Identifier: BSD-3-Clause
#include "job/rhythm.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace nereus::job {
namespace {

/// A job whose iterations, and words, always take as long.
class Quiet {
public:
    Quiet(double iteration, double word) : iteration_(iteration), word_(word) {}

    /// Until the next word is started. @return checkpoints that rest after it
    std::int32_t next_word() {
        rhythm_.enter(now_);
        const std::int32_t rests = rhythm_.next_rests();
        rhythm_.leave(now_ + word_);
        words_ += word_;
        now_ += (iteration_ + word_) + rests * iteration_;
        checkpoints_ += rests + 1;
        return rests;
    }

    std::int64_t checkpoints() const { return checkpoints_; }
    double share() const { return words_ / now_; }

private:
    Rhythm rhythm_;
    double iteration_, word_;
    double now_ = 1e6; // as a clock that has long been running
    double words_ = 0;
    std::int64_t checkpoints_ = 0;
};

TEST(Rhythm, AShortJobHearsAWordAtEachCheckpoint) {
    for (const double iteration : {0., 1e-6, 2e-3, 1.}) {
        Quiet job(iteration, 20e-6);
        for (int word = 1; word < Rhythm::without_rests; ++word) EXPECT_EQ(job.next_word(), 0) << iteration;
    }
}

TEST(Rhythm, AJobIsNotKeptWaitingForLongerThanItSays) {
    for (const double iteration : {0., 1e-6, 1e-4, 2e-3, 14e-3, 1.})
        for (const double word : {0., 1e-6, 20e-6, 1e-3, 2.}) {
            Quiet job(iteration, word);
            while (job.checkpoints() < 5000) {
                const std::int64_t passed = job.checkpoints() + 1;
                const std::int32_t rests = job.next_word();
                EXPECT_LE(rests, Rhythm::most_rests);
                EXPECT_LE(rests * Rhythm::checkpoints_per_rest,
                          std::max<std::int64_t>(0, passed - Rhythm::without_rests));
                EXPECT_LE(rests * iteration, Rhythm::longest_rest);
            }
        }
}

TEST(Rhythm, WordsTakeTheirShareOfALongJobAtMost) {
    for (const double iteration : {2e-3, 5e-3, 14e-3}) {
        Quiet job(iteration, 20e-6);
        while (job.checkpoints() < 5000) job.next_word();
        EXPECT_LE(job.share(), 1.5 * Rhythm::words_per_second) << iteration; // rests are whole numbers
    }
}

TEST(Rhythm, LongIterationsHaveAWordEach) {
    Quiet job(0.06, 20e-6);
    while (job.checkpoints() < 1000) EXPECT_EQ(job.next_word(), 0);
}

}
}
