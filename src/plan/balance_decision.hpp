// SPDX-License-Identifier: BSD-3-Clause
// When rows are worth moving, and where to: what could have been saved since they moved last is as much as a move
// costs. So a change of the load that does not last costs no more than about twice the price of a move.
#pragma once

#include "plan/balance.hpp"

#include <cstdint>
#include <optional>

namespace nereus::plan {

class BalanceDecision {
public:
    /// @param iterations    that `work` is the mean or median of
    /// @param bytes_of_row  of all that goes with a row
    /// @return where rows are to go; nothing where they stay
    Borders next(const Work &work, std::int64_t iterations, std::int64_t bytes_of_row);

    /// They are there. @param pause  seconds for which the application stopped
    void moved(double pause);
    /// Ranks or parts have changed for another reason, or the move was rolled back.
    void begins_anew();

    /// Seconds of the slowest rank in an iteration: before the latest move, and as expected after it.
    double before() const { return before_; }
    double after() const { return after_; }

private:
    /// Borders, and what ranks are expected to take with them.
    struct Way {
        Borders borders;
        std::vector<double> seconds;
    };

    Way best(const Work &work) const;
    void learn_from(const Work &work);
    double cost_of(std::int64_t bytes) const;

    std::optional<CostProfile> profile_;     ///< of the rows, where they are the cause
    bool ranks_differ_ = false;              ///< the cause is that some ranks are slower
    double lost_ = 0;                        ///< seconds since rows moved last
    double trust_ = 1;                       ///< what came of an expected gain lately, 0 .. 1
    std::vector<double> if_rows_, if_ranks_; ///< seconds that were expected of the latest move, by cause
    double before_ = 0, after_ = 0;
    bool is_to_learn_ = false;      ///< whether the next work shows what came of a move
    std::optional<double> pause_{}; ///< of the latest move
};

}
