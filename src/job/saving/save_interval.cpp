// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/save_interval.hpp"

#include "base/settings.hpp"

#include <algorithm>

namespace nereus::job {

void SaveInterval::saved(double seconds) {
    last_seconds_ = seconds;
    has_failed_ = false;
}

bool SaveInterval::is_due(double every, double passed, const std::function<std::int64_t()> &bytes) const {
    if (every != automatically) return every > 0 && passed >= every;
    if (passed < (has_failed_ ? shortest_after_failure : shortest)) return false;
    const double seconds = last_seconds_ >= 0 ? last_seconds_ : static_cast<double>(bytes()) / supposed_rate_;
    return passed >= seconds * (1 / share - 1);
}

}
