// SPDX-License-Identifier: BSD-3-Clause
#include "job/announcement_interval.hpp"

#include <algorithm>
#include <utility>

namespace nereus::job {

std::int32_t AnnouncementInterval::next_quiet_checkpoints() {
    const std::int64_t since = quiet_checkpoints_ + 1; // checkpoints
    const double each = (entered_ - std::exchange(last_announcement_, entered_)) / static_cast<double>(since);
    const double time = std::min(longest_quiet, std::exchange(took_, 0) / share_of_announcements);
    passed_ += since;
    const std::int64_t followed = std::max<std::int64_t>(0, passed_ - checkpoints_at_first);
    const std::int64_t most = std::min(most_quiet_checkpoints, followed / checkpoints_per_quiet_one);
    // Compared before it is divided: iterations may take next to nothing.
    const std::int64_t wanted =
        time >= each * static_cast<double>(most) ? most : static_cast<std::int64_t>(time / each);
    return quiet_checkpoints_ = static_cast<std::int32_t>(wanted);
}

}
