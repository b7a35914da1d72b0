// SPDX-License-Identifier: BSD-3-Clause
// One resize, all or nothing, as a source and as a newcomer go through it (docs/reference/resize.md).
//
//     asked -> making -> ready -> sending -> committing -> next generation
//                \__________\________\___________\______> undone: nothing has changed
#pragma once

#include "base/settings.hpp"
#include "job/generation.hpp"
#include "job/registry.hpp"
#include "job/request.hpp"
#include "process/park.hpp"
#include "process/program.hpp"

namespace nereus::job {

/// The parts of a job that a resize reads and, at its commit, changes.
struct Members {
    Settings settings;
    process::Program program;
    Registry registry;
    Generation generation;
    Requests requests;           ///< rank 0
    process::ParkingLots parked; ///< rank 0
};

/// What a source does after a resize.
struct Departure {
    plan::Fate fate = plan::Fate::stays;
    mpi::Comm lot; ///< of a process that parks
};

/// Collective over the present generation.
///
/// @return what became of it, the same on all sources; code is NEREUS_RESIZED when it was committed
nereus_resize_report resize(Members &job, const Request &request, Departure &departure);

/// Collective over the newcomers of one resize; returns after the commit with all data in place.
///
/// @param link  inter-communicator to the sources
Result<nereus_resize_report> join(Members &job, mpi::Comm link);

}
