// SPDX-License-Identifier: BSD-3-Clause
// What founders find out together when they open a job.
#pragma once

#include "base/settings.hpp"
#include "mpi/check.hpp"
#include "plan/process_fate.hpp"

#include <mpi.h>

#include <string>

namespace nereus::job {

/// Collective: a name for the world of all of them.
plan::World shared_world(MPI_Comm comm);

/// Collective: whether rank 0 has this setting.
bool is_set_at_root(MPI_Comm comm, const std::string &setting);

/// Another MPI than that of the launcher starts each process as a job of its own, which all work and end well. More
/// processes than were started are those of a script that starts them itself.
Done check_world(int started);

/// Whether the job that this process opens was restarted: only the first one, it may open another one later.
bool take_restarted(const Settings &settings);

}
