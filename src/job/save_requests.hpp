// SPDX-License-Identifier: BSD-3-Clause
// Requests to save an epoch, of the application, of the supervisor and of the clock (settings `save-every` and
// `protect-every`): they wait in one queue with requests for another size. All of it on rank 0.
#pragma once

#include "job/resize/job_state.hpp"
#include "job/saving/epoch_clock.hpp"
#include "job/saving/epoch_saving.hpp"

#include <limits>

namespace nereus::job {

class SaveRequests {
public:
    explicit SaveRequests(JobState &job) : job_(job) {}

    /// @return the request's number. NEREUS_ERR_UNSUPPORTED where no epoch can be saved.
    Result<std::uint64_t> ask(Save save);
    /// What the supervisor has sent, and what is due.
    void take_outside();
    /// Tells the supervisor, and people where it failed.
    void ended(const Request &request, const Result<SavedEpoch> &saved);

private:
    Done check_possible(Save save) const;
    void ask_if_due(EpochClock &clock, double every, Save save, bool at_once = false);
    bool is_on_new_hosts();

    JobState &job_;
    EpochClock on_disk_;
    /// A job that dies before its first one cannot continue.
    EpochClock in_memory_{SaveInterval(std::numeric_limits<double>::infinity())};
    std::int64_t generation_ = 0; ///< that has an epoch in memory of its hosts, or asked for one
};

}
