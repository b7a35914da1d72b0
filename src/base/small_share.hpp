// SPDX-License-Identifier: BSD-3-Clause
// How often something may be looked at that costs little, but not nothing.
#pragma once

#include "base/clock.hpp"

#include <algorithm>

namespace nereus {

/// What is done only when it is due takes 1/4000 of the time at most: after it took t seconds, it is due again in 4000
/// t. A look that took long because somebody else had the core must not put off the next one for long.
class SmallShare {
public:
    static constexpr double rest_per_second = 4000;
    static constexpr double longest_quiet = 0.1; // s

    bool is_due() { return (began_ = now()) >= next_; }
    /// It was done since is_due() said that it is.
    void done() {
        const double ended = now();
        next_ = ended + std::min(longest_quiet, rest_per_second * (ended - began_));
    }

private:
    double began_ = 0;
    double next_ = 0;
};

}
