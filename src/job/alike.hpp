// SPDX-License-Identifier: BSD-3-Clause
// Whether all ranks have registered the same things in the same order.
#pragma once

#include "job/registry.hpp"

#include <mpi.h>

namespace nereus::job {

/// Collective. NEREUS_ERR_MISMATCH names the first array or value that a rank has otherwise than rank 0.
Done check_alike(MPI_Comm comm, const Registry &registry);

/// Collective, of registries that are alike: follows the application's swaps, on processes without elements too.
/// @return which entry's part each entry has had since the last time; NEREUS_ERR_STATE or NEREUS_ERR_MISMATCH on all
Result<std::vector<int>> settle_swaps(MPI_Comm comm, Registry &registry);

}
