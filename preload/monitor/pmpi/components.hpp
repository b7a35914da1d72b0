// SPDX-License-Identifier: BSD-3-Clause
// The sensor's side of the components of Open MPI (components.h).
#pragma once

#include <mpi.h>

namespace nereus::pmpi {

/// From now on the starts of a persistent request are counted, whose moves are remembered (persistent.hpp).
void watch_starts(MPI_Request request);

}
