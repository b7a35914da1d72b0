// SPDX-License-Identifier: BSD-3-Clause
// Brings lines of all processes to rank 0, which takes them piece by piece: no process ever holds more than a piece of
// what is not its own.
#pragma once

#include <functional>
#include <mpi.h>
#include <string_view>

namespace nereus::pmpi {

using TakeText = std::function<void(std::string_view)>;

/// Collective over the communicator. `own` gives this process's text to what it is handed; on rank 0, `take` gets the
/// text of all processes, that of each in one run of pieces, its own first. Sent along a binomial tree.
void gather(MPI_Comm comm, const std::function<void(const TakeText &)> &own, const TakeText &take);

}
