// SPDX-License-Identifier: BSD-3-Clause
// Failures that the run file plans: when they happen, and which processes die.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "run.hpp"

namespace emulator {

class PlannedFailures {
public:
    /// `done`: so many have happened, to jobs that this one continues.
    PlannedFailures(std::span<const FailureSpec> all, std::size_t done);

    /// The one at the beginning of `iteration` that has not happened yet; null: there is none.
    const FailureSpec *at(std::int64_t iteration) const;

private:
    std::span<const FailureSpec> to_come_;
};

struct Dying {
    int rank = 0;           ///< that the failure is about
    std::vector<int> ranks; ///< that die
};

/// `hosts`: of each rank.
Dying dying(const FailureSpec &failure, std::span<const std::string> hosts);

} // namespace emulator
