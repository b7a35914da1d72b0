// SPDX-License-Identifier: BSD-3-Clause
// What founders find out together when they open a job.
#pragma once

#include "base/settings.hpp"
#include "job/state/generation.hpp"
#include "mpi/check.hpp"

#include <mpi.h>

#include <string>

namespace nereus::job {

/// Collective: the first generation, on whose communicators nobody else sends.
Result<Generation> generation_of_founders(MPI_Comm founders);

/// Collective: whether rank 0 has this setting.
bool is_set_at_root(MPI_Comm comm, const std::string &setting);

/// Another MPI than that of the launcher starts each process as a job of its own, which all work and end well. More
/// processes than were started are those of a script that starts them itself.
Done check_world(int started);

/// Whether the job that this process opens was restarted: only the first one, it may open another one later.
bool take_restarted(const Settings &settings);

}
