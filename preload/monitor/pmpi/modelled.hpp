// SPDX-License-Identifier: BSD-3-Clause
// Messages that a library makes of collectives, where nobody sees them: told by a model of its algorithms, if the user
// asked for it (setting NEREUS_MONITOR_MODEL).
#pragma once

#include "pmpi/members.hpp"
#include "record/mpich_model.hpp"

#include <mpi.h>

namespace nereus::pmpi {

extern bool modelling; ///< written before recording begins

inline bool modelled() { return modelling; }

/// What this process sends in a call.
void each_modelled(monitor::Call call, const Members &members, std::vector<std::uint64_t> sizes, int root,
                   MPI_Count elements, const monitor::TakeSent &take);

/// Asks the library for its limits. @return whether it is one whose algorithms are known
bool begin_modelling();

}
