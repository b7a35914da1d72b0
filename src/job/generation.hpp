// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job between two resizes.
#pragma once

#include "mpi/comm.hpp"
#include "plan/release.hpp"

#include <cstdint>
#include <vector>

namespace nereus::job {

struct Generation {
    std::int64_t number = 0;
    mpi::Comm control;               ///< Nereus' own
    mpi::Comm application;           ///< what nereus_comm() returns
    std::vector<plan::World> worlds; ///< of each rank
};

}
