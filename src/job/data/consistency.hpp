// SPDX-License-Identifier: BSD-3-Clause
// Whether all ranks have registered the same things in the same order.
#pragma once

#include "job/data/registry.hpp"

#include <mpi.h>

namespace nereus::job {

/// Collective. NEREUS_ERR_MISMATCH names the first array or value that a rank has otherwise than rank 0.
Done check_alike(MPI_Comm comm, const Registry &registry);

/// Collective, of registries that are alike: all know of the application's swaps, processes without elements too.
/// @param followed  what follow_pointers() has found here; an error of one process is one of all
/// @return which entry's part each entry has had since all agreed last; NEREUS_ERR_STATE or NEREUS_ERR_MISMATCH on all
Result<std::vector<int>> agree_on_swaps(MPI_Comm comm, Registry &registry, const Done &followed);

}
