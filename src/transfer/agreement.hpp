// SPDX-License-Identifier: BSD-3-Clause
// Before a collective call that cannot be left (MPI_Win_create): all processes enter it, or none does, although each
// may be asked to give up at any time.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <mpi.h>

#include <vector>

namespace nereus::transfer {

/// Collective over `comm`, whose rank 0 decides alone: to enter once all are here, to give up when its own deadline is
/// over before. The others wait for its decision some seconds beyond their deadlines. An error: nobody enters.
/// @param mine  numbers, as many on each process
/// @return the least of each number on all processes
Result<std::vector<int>> agree_to_enter(MPI_Comm comm, std::vector<int> mine, const Deadline &deadline);

}
