// SPDX-License-Identifier: BSD-3-Clause
// How far the monotonic clocks of hosts are apart: those of one system are one clock, whatever the process.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <string>

namespace nereus::pmpi {

struct ClockOffset {
    std::int64_t nanoseconds = 0; ///< clock of rank 0 less that of this process
    std::int64_t error = 0;       ///< at most so wrong, either way
};

/// Of the running system; "" where it does not tell.
std::string boot_id();

/// Collective. Processes that give the `clock` that rank 0 gives have its clock. The others find out by messages
/// (Cristian 1989): of many round trips the shortest tells best, and half of it is how wrong it may be.
ClockOffset offset_to_root(MPI_Comm comm, const std::string &clock);

}
