// SPDX-License-Identifier: BSD-3-Clause
// Rows go from ranks that compute longer to ranks that wait for them, while the number of ranks stays (dynamic load
// balancing: Singh and Carretero 2019, section 2). The setting `balance` turns it on.
//
// Rank 0 has all compare now and then how long they computed, by the stages that the application marks. When rows move,
// and where to, src/plan/balance_decision.hpp says.
#pragma once

#include "base/error.hpp"
#include "job/resize/job_state.hpp"
#include "job/timing/durations.hpp"
#include "plan/balance_decision.hpp"

#include <nereus/nereus.h>

#include <string>

namespace nereus::job {

class Balancing {
public:
    /// At each checkpoint. @param computed  seconds in stages that compute, of the iteration that ends
    void iterated(double computed);

    /// On rank 0, at a checkpoint of a job that is not being resized: whether all are to compare.
    bool is_due(const JobState &job) const;

    /// Collective: whether rows are to move; their next borders are in the registry then.
    Result<bool> compare(JobState &job);

    /// Of a resize that moves them. Its number is rank 0's, as all that is told of it.
    static Request request(JobState &job);

    /// Rows may lie elsewhere from now on: what was measured before says nothing of it.
    void begin_anew();

    /// A generation begins, or goes on after a resize that was rolled back: what was measured before says nothing of
    /// it.
    /// @return on rank 0, where rows have moved: "rows were balanced: ..."; else ""
    std::string resize_ended(const nereus_resize_report &report);

private:
    void say(const std::string &why);

    Durations computed_; ///< of iterations since all compared last; the median, as one that was disturbed says nothing
    bool is_moving_ = false;
    // What follows is rank 0's.
    double compared_at_ = 0;
    plan::BalanceDecision decision_;
    std::string said_; ///< why nothing can be balanced
};

}
