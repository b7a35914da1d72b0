// SPDX-License-Identifier: BSD-3-Clause
// How long this process's calls of MPI may take that others could hold up, by the settings.
#pragma once

#include "base/settings.hpp"
#include "mpi/bounded_call.hpp"

namespace nereus::job {

/// Of a newcomer first by its own settings, then by those of the job.
inline void bound_calls(const Settings &settings) {
    mpi::bound_calls({settings.answer_timeout, settings.connect_timeout, !settings.party.empty()});
}

}
