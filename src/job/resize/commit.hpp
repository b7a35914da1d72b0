// SPDX-License-Identifier: BSD-3-Clause
// What newcomers are told when a resize is committed: how it went, and what the job knows that they need to go on.
#pragma once

#include "base/host_list.hpp"
#include "job/control/carried_line.hpp"
#include "job/data/values.hpp"
#include "job/state/request.hpp"
#include "plan/cost_model.hpp"
#include "process/process_id.hpp"

#include <nereus/nereus.h>

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nereus::job {

/// What rank 0 alone has, for the newcomer that is rank 0 from now on.
struct NextRoot {
    Requests requests;
    std::vector<process::ProcessId> processes; ///< of each rank
    std::vector<Host> hosts;                   ///< on which processes may be placed
    std::optional<plan::Costs> costs;
    std::string token; ///< by which the supervisor knows it; "": there is none
    std::optional<CarriedLine> daemon_line;
};

struct Commit {
    nereus_resize_report report{};
    Values values;
    std::int64_t iteration = 0;
    std::int64_t io_phases = 0;
    bool says_io = false;
    bool has_daemon = false;
    bool has_supervisor = false;
    std::optional<NextRoot> next_root; ///< where no source goes on
};

nlohmann::json as_json(const NextRoot &root);

/// Throws a std::exception where `in` is none.
NextRoot next_root_from(const nlohmann::json &in);

nlohmann::json as_json(const Commit &commit);

/// Throws a std::exception where `in` is none.
Commit commit_from(const nlohmann::json &in);

}
