// SPDX-License-Identifier: BSD-3-Clause
// How often rank 0 speaks to the others while nothing is resized (Announcement in request.hpp).
#pragma once

#include <cstdint>

namespace nereus::job {

/// Of rank 0. Broadcasting a word at each checkpoint takes more than one may of short iterations: with caches that the
/// application has filled, 5 to 20 us. So checkpoints without a word lie between two words, as few as keep what they
/// take within a share of the time.
class Rhythm {
public:
    static constexpr double words_per_second = 1. / 4000; ///< seconds for words, in each second
    static constexpr double longest_rest = 0.05;          // s, while iterations last as long as they did
    static constexpr std::int64_t most_rests = 32;        ///< should iterations grow long all at once
    /// A short job, or one that was resized just now, is not kept waiting: no rests among so many checkpoints,
    static constexpr std::int64_t without_rests = 16;
    /// and of those that follow, one in so many at most, at a time.
    static constexpr std::int64_t checkpoints_per_rest = 8;

    /// A checkpoint begins at which a word is received, or started, or both.
    void enter(double now) { entered_ = now; }
    /// It ends.
    void leave(double now) { took_ += now - entered_; }
    /// For the word that is started now: how many checkpoints pass without one after it was received.
    std::int32_t next_rests();

private:
    double entered_ = 0;
    double last_word_ = 0; ///< when it was started
    double took_ = 0;      ///< for it
    std::int32_t rests_ = 0;
    std::int64_t passed_ = 0; ///< checkpoints
};

}
