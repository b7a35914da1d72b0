// SPDX-License-Identifier: BSD-3-Clause
// When the next epoch is due by the clock (setting `save-every`).
#pragma once

#include <cstdint>
#include <functional>

namespace nereus::job {

class SaveInterval {
public:
    /// With `auto`, epochs take this share of the time at most, as long as each takes as long as the one before it.
    static constexpr double share = 0.01;
    /// In B/s, of files on a disk.
    static constexpr double usual_rate = 1e9;
    /// Least time between two, in s: what an epoch takes that is small varies much.
    static constexpr double shortest = 1;
    /// And after one that could not be saved.
    static constexpr double shortest_after_failure = 60;

    /// @param supposed_rate  with which the first one is supposed to be written, in B/s; infinite: it is due soon
    explicit SaveInterval(double supposed_rate = usual_rate) : supposed_rate_(supposed_rate) {}

    /// The last epoch took so many seconds of the job's time.
    void saved(double seconds);
    void failed() { has_failed_ = true; }

    /// @param every   the setting: seconds, or `automatically`
    /// @param passed  s since the last epoch was saved, or tried to, or since the job began
    /// @param bytes   of the next one; is asked where they matter
    bool is_due(double every, double passed, const std::function<std::int64_t()> &bytes) const;

private:
    double supposed_rate_;
    double last_seconds_ = -1; ///< none yet
    bool has_failed_ = false;
};

}
