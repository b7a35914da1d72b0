// SPDX-License-Identifier: BSD-3-Clause
// What this machine's memory and this MPI can do at best, without the library, in GB/s (10^9 bytes).
#pragma once

#include "data.hpp"

namespace transfers {

/// Collective over MPI_COMM_WORLD; rank 0 prints one JSON line {"limits": {...}}. @return exit code
int measure_limits(int from, int to, const Amount &amount);

}
