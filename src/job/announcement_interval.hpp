// SPDX-License-Identifier: BSD-3-Clause
// How often rank 0 speaks to the others while nothing is resized (Broadcast in request.hpp).
#pragma once

#include <cstdint>

namespace nereus::job {

/// Of rank 0. Broadcasting an announcement at each checkpoint takes more than one may of short iterations: with caches
/// that the application has filled, 5 to 20 us. So checkpoints without an announcement lie between two announcements,
/// as few as keep what they take within a share of the time.
class AnnouncementInterval {
public:
    static constexpr double share_of_announcements = 1. / 4000; ///< seconds for them, in each second
    static constexpr double longest_quiet = 0.05;               // s, while iterations last as long as they did
    static constexpr std::int64_t most_quiet_checkpoints = 32;  ///< should iterations grow long all at once
    /// A short job, or one that was resized just now, is not kept waiting: no quiet checkpoints among so many
    /// checkpoints,
    static constexpr std::int64_t checkpoints_at_first = 16;
    /// and of those that follow, one in so many at most, at a time.
    static constexpr std::int64_t checkpoints_per_quiet_one = 8;

    /// A checkpoint begins at which an announcement is received, or started, or both.
    void enter(double now) { entered_ = now; }
    /// It ends.
    void leave(double now) { took_ += now - entered_; }
    /// For the announcement that is started now: how many checkpoints pass without one after it was received.
    std::int32_t next_quiet_checkpoints();

private:
    double entered_ = 0;
    double last_announcement_ = 0; ///< when it was started
    double took_ = 0;              ///< for it
    std::int32_t quiet_checkpoints_ = 0;
    std::int64_t passed_ = 0; ///< checkpoints
};

}
