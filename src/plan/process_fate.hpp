// SPDX-License-Identifier: BSD-3-Clause
// Which processes can end after a shrink. MPI_Finalize returns only when all processes of an MPI_COMM_WORLD call it,
// so that a process can end only with its whole world; until then it is parked (docs/reference/resize.md).
#pragma once

#include "plan/sizes.hpp"

#include <cstdint>
#include <vector>

namespace nereus::plan {

using World = std::uint64_t; ///< names one MPI_COMM_WORLD

enum class Fate { stays, exits, parks };

/// Fate of each source.
std::vector<Fate> fates(const std::vector<World> &world_of_source, const Sizes &sizes);

/// Which of the parked processes can end now: those in whose worlds nobody goes on.
std::vector<bool> may_end(const std::vector<World> &world_of_parked, const std::vector<World> &world_of_source,
                          const Sizes &sizes);

}
