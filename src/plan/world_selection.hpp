// SPDX-License-Identifier: BSD-3-Clause
// Which worlds can leave as a whole in a shrink, so that most processes exit: a subset sum.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace nereus::plan {

struct LeavingWorld {
    int processes;
    std::int64_t use; ///< what is lost with it
};

class LeavingWorlds {
public:
    using Leaves = std::vector<bool>; ///< of each world

    /// @param worlds  those that may leave, in the order in which they should
    /// @param leave   processes that leave in all
    ///
    /// O(worlds times `leave` / d), d being the greatest number that divides the processes of each world. Where that is
    /// more than 10^8 it is not searched: each world leaves that still can.
    LeavingWorlds(std::vector<LeavingWorld> worlds, int leave);

    bool searched() const { return !takes_.empty(); }

    /// Processes that leave with each of the sets in question; not searched, what no set exceeds.
    int most() const { return most_ * unit_; }

    /// The set with which least use is lost of those with which most processes leave.
    Leaves of_least_use() const;

    /// Calls `visit` with each set with which most processes leave, until it returns false: first those with the first
    /// world. Searched only.
    void each(const std::function<bool(const Leaves &)> &visit) const;

private:
    std::size_t index(std::size_t world, int sum) const {
        return world * (static_cast<std::size_t>(leave_) + 1) + static_cast<std::size_t>(sum);
    }
    int units(std::size_t world) const { return worlds_[world].processes / unit_; }
    bool can_leave(std::size_t world, int left) const;
    void search();
    Leaves whoever_can() const;

    std::vector<LeavingWorld> worlds_;
    int unit_ = 1; ///< sums are counted in it
    int leave_;
    int most_;
    std::vector<bool> reached_; ///< for each world and sum: whether worlds from this one on can have it
    std::vector<bool> takes_;   ///< and whether this one leaves if they do so with least use
};

}
