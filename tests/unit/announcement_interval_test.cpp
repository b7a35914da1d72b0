// SPDX-License-Identifier: BSD-3-Clause
#include "job/announcement_interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace nereus::job {
namespace {

/// A job whose iterations, and words, always take as long.
class Quiet {
public:
    Quiet(double iteration, double word) : iteration_(iteration), announcement_(word) {}

    /// Until the next announcement is started. @return checkpoints that rest after it
    std::int32_t next_announcement() {
        interval_.enter(now_);
        const std::int32_t quiet_checkpoints = interval_.next_quiet_checkpoints();
        interval_.leave(now_ + announcement_);
        words_ += announcement_;
        now_ += (iteration_ + announcement_) + quiet_checkpoints * iteration_;
        checkpoints_ += quiet_checkpoints + 1;
        return quiet_checkpoints;
    }

    std::int64_t checkpoints() const { return checkpoints_; }
    double share() const { return words_ / now_; }

private:
    AnnouncementInterval interval_;
    double iteration_, announcement_;
    double now_ = 1e6; // as a clock that has long been running
    double words_ = 0;
    std::int64_t checkpoints_ = 0;
};

TEST(AnnouncementInterval, AShortJobHearsAWordAtEachCheckpoint) {
    for (const double iteration : {0., 1e-6, 2e-3, 1.}) {
        Quiet job(iteration, 20e-6);
        for (int word = 1; word < AnnouncementInterval::checkpoints_at_first; ++word)
            EXPECT_EQ(job.next_announcement(), 0) << iteration;
    }
}

TEST(AnnouncementInterval, AJobIsNotKeptWaitingForLongerThanItSays) {
    for (const double iteration : {0., 1e-6, 1e-4, 2e-3, 14e-3, 1.})
        for (const double word : {0., 1e-6, 20e-6, 1e-3, 2.}) {
            Quiet job(iteration, word);
            while (job.checkpoints() < 5000) {
                const std::int64_t passed = job.checkpoints() + 1;
                const std::int32_t quiet_checkpoints = job.next_announcement();
                EXPECT_LE(quiet_checkpoints, AnnouncementInterval::most_quiet_checkpoints);
                EXPECT_LE(quiet_checkpoints * AnnouncementInterval::checkpoints_per_quiet_one,
                          std::max<std::int64_t>(0, passed - AnnouncementInterval::checkpoints_at_first));
                EXPECT_LE(quiet_checkpoints * iteration, AnnouncementInterval::longest_quiet);
            }
        }
}

TEST(AnnouncementInterval, WordsTakeTheirShareOfALongJobAtMost) {
    for (const double iteration : {2e-3, 5e-3, 14e-3}) {
        Quiet job(iteration, 20e-6);
        while (job.checkpoints() < 5000) job.next_announcement();
        EXPECT_LE(job.share(), 1.5 * AnnouncementInterval::share_of_announcements)
            << iteration; // quiet checkpoints are whole numbers
    }
}

TEST(AnnouncementInterval, LongIterationsHaveAWordEach) {
    Quiet job(0.06, 20e-6);
    while (job.checkpoints() < 1000) EXPECT_EQ(job.next_announcement(), 0);
}

}
}
