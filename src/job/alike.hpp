// SPDX-License-Identifier: BSD-3-Clause
// Whether all ranks have registered the same things in the same order.
#pragma once

#include "job/registry.hpp"

#include <mpi.h>

namespace nereus::job {

/// Collective. NEREUS_ERR_MISMATCH names the first array or value that a rank has otherwise than rank 0.
Done check_alike(MPI_Comm comm, const Registry &registry);

}
