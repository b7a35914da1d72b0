// SPDX-License-Identifier: BSD-3-Clause
// Requests for another size, of the application, of the supervisor and of the daemon: what is refused at once, what is
// kept until the job comes to it. All of it on rank 0.
#pragma once

#include "base/small_share.hpp"
#include "job/resize/job_state.hpp"
#include "plan/host_allocation.hpp"

#include <nereus/nereus.h>

#include <map>
#include <vector>

namespace nereus::job {

/// What became of a request: a code of nereus_resize(), and the request's number, 0 where none was made.
struct Asked {
    nereus_code code;
    std::uint64_t number;
};

class ResizeRequests {
public:
    explicit ResizeRequests(JobState &job) : job_(job) {}

    /// Whether such a resize can be done at all.
    Done check_possible(int ranks, const nereus_resize_options &options) const;
    Result<Asked> ask(int ranks, const nereus_resize_options &options);
    Result<Asked> ask(int ranks, const nereus_resize_options &options, const plan::HostChange &change);

    /// What supervisor and daemon have sent since.
    void take_outside();
    /// `quiet_checkpoints`, or so few that a command of the daemon can be announced at the checkpoint before its own.
    std::int32_t quiet_checkpoints_before_command(std::int32_t quiet_checkpoints) const;

    void resize_begins() { resizes_ = true; }
    /// The job's list without what this request changed in it.
    std::vector<Host> hosts_before(std::uint64_t request) const;
    void resize_ended(const nereus_resize_report &report);

    /// At the end of the job. @param announced  a request that was announced and not begun, or one with number 0
    void drop_all(const Request &announced);

private:
    struct ChangedHosts {
        plan::HostChange change;
        std::vector<Host> before; ///< the list then
    };

    Done check_strategies(unsigned asked) const;
    Result<int> slots_or_fewer(int ranks, const std::vector<Host> &hosts, const nereus_resize_options &options) const;
    Done check_leaving(int ranks, const nereus_resize_options &options, const std::vector<std::string> &hosts) const;
    bool waits() const { return resizes_ || !job_.requests.empty(); }
    Result<Asked> ask_from_outside(const OutsideRequest &outside);
    void take_requests_of_supervisor();
    void take_commands_of_daemon();

    JobState &job_;
    std::map<std::uint64_t, ChangedHosts> changed_hosts_; ///< by requests that are not over
    SmallShare looking_;                                  ///< into the supervisor's socket
    bool resizes_ = false;                                ///< a resize is under way
};

}
