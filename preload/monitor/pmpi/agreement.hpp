// SPDX-License-Identifier: BSD-3-Clause
// Finds out, within a time limit, whether all processes of a world have this sensor, and gives them one story.
#pragma once

#include "base/error.hpp"

#include <array>
#include <mpi.h>

namespace nereus::pmpi {

struct Story {
    std::array<char, 40> world{}; ///< random name
    double started = 0;           ///< seconds since 1970, by the clock of rank 0
};

/// Collective over `world`, which may be the program's. NEREUS_ERR_TIMEOUT where others did not come within the limit:
/// then nobody has a story.
Result<Story> agree(MPI_Comm world, double time_limit);

}
