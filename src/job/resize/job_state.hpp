// SPDX-License-Identifier: BSD-3-Clause
// The parts of a job that a resize reads and, at its commit, changes.
#pragma once

#include "base/host_list.hpp"
#include "base/settings.hpp"
#include "job/control/daemon_client.hpp"
#include "job/control/supervisor_client.hpp"
#include "job/data/registry.hpp"
#include "job/resize/traffic_history.hpp"
#include "job/state/generation.hpp"
#include "job/state/request.hpp"
#include "plan/cost_model.hpp"
#include "process/park.hpp"
#include "process/program.hpp"

#include <memory>
#include <optional>

namespace nereus::job {

struct JobState {
    Settings settings;
    process::Program program;
    Registry registry;
    Generation generation;
    std::int64_t iteration = 0;  ///< checkpoints that the job has passed
    std::uint64_t io_phases = 0; ///< that it has begun
    bool says_io = false;        ///< the program has begun one itself
    TrafficHistory sent;         ///< what ranks sent each other
    bool has_daemon = false;     ///< rank 0 has a line to one
    bool has_supervisor = false; ///< that watches the job: all close it together
    bool resumed = false;        ///< founders continue from an epoch, and have not come to a checkpoint yet
    // What follows is rank 0's.
    Requests requests;
    process::ParkingLots parked;
    std::optional<plan::Costs> costs;        ///< of ways to carry data; none: not known
    std::vector<Host> hosts;                 ///< on which processes may be placed; empty: wherever the MPI puts them
    std::vector<std::string> hosts_to_leave; ///< by the next resize; none of `hosts` any more
    std::unique_ptr<SupervisorClient> supervisor; ///< NULL where there is none
    std::string root_token;                       ///< by which the supervisor knows it; "": there was no root before it
    std::unique_ptr<DaemonClient> daemon_client;  ///< by whom many jobs are; NULL where there is none
};

/// What a source does after a resize.
struct Departure {
    plan::Fate fate = plan::Fate::stays;
    std::optional<process::ParkedProcess> parked_process; ///< of a process that parks
};

}
