// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 hands on where another process is rank 0 from now on.
#pragma once

#include "base/host_list.hpp"
#include "job/control/carried_line.hpp"
#include "job/state/request.hpp"
#include "plan/cost_model.hpp"
#include "process/process_id.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nereus::job {

struct JobState;

/// What rank 0 alone has.
struct NextRoot {
    Requests requests;
    std::vector<process::ProcessId> processes; ///< of each rank
    std::vector<Host> hosts;                   ///< on which processes may be placed
    std::optional<plan::Costs> costs;
    std::string token; ///< by which the supervisor knows it; "": there is none
    std::optional<CarriedLine> daemon_line;
};

/// On rank 0: all but `processes` and `token`. Once it is handed on, this process is to close its line to the daemon.
NextRoot next_root_of(JobState &job);

/// On the new rank 0: takes all but `processes` and `token`. A job that cannot reach its daemon any more goes on
/// without it.
void become_root(JobState &job, NextRoot next);

nlohmann::json as_json(const NextRoot &root);

/// Throws a std::exception where `in` is none.
NextRoot next_root_from(const nlohmann::json &in);

}
