// SPDX-License-Identifier: BSD-3-Clause
#include "job/rhythm.hpp"

#include <algorithm>
#include <utility>

namespace nereus::job {

std::int32_t Rhythm::next_rests() {
    const std::int64_t since = rests_ + 1; // checkpoints
    const double each = (entered_ - std::exchange(last_word_, entered_)) / static_cast<double>(since);
    const double time = std::min(longest_rest, std::exchange(took_, 0) / words_per_second);
    passed_ += since;
    const std::int64_t followed = std::max<std::int64_t>(0, passed_ - without_rests);
    const std::int64_t most = std::min(most_rests, followed / checkpoints_per_rest);
    // Compared before it is divided: iterations may take next to nothing.
    const std::int64_t wanted =
        time >= each * static_cast<double>(most) ? most : static_cast<std::int64_t>(time / each);
    return rests_ = static_cast<std::int32_t>(wanted);
}

}
