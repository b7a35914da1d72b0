// SPDX-License-Identifier: BSD-3-Clause
// Has epochs of one kind be made every so often.
#pragma once

#include "base/clock.hpp"
#include "job/saving/save_interval.hpp"

#include <optional>

namespace nereus::job {

class EpochClock {
public:
    explicit EpochClock(SaveInterval interval = SaveInterval()) : interval_(interval) {}

    /// @param every  the setting: seconds, or `automatically`; 0: never
    bool is_due(double every, const std::function<std::int64_t()> &bytes) const {
        return every != 0 && !is_waiting_ && interval_.is_due(every, now() - last_, bytes);
    }

    /// One was due, and a request for it waits.
    void asked() {
        last_ = now();
        is_waiting_ = true;
    }

    /// One was made, or could not be, whoever asked for it. @param seconds  that it took; none: it could not be
    void ended(std::optional<double> seconds) {
        is_waiting_ = false;
        last_ = now();
        seconds ? interval_.saved(*seconds) : interval_.failed();
    }

private:
    SaveInterval interval_;
    double last_ = now(); ///< when one was made, or was to be
    bool is_waiting_ = false;
};

}
