// SPDX-License-Identifier: BSD-3-Clause
// Words that all members of a communicator must hear: what one rank says, and whether all are fine.
#pragma once

#include "mpi/check.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nereus::mpi {

using Bytes = std::vector<std::uint8_t>;

/// Collective: `bytes` of `root` on every rank.
Result<Bytes> share(MPI_Comm comm, int root, Bytes bytes);

/// Collective: `bytes` of `root`, or its error, on every rank.
Result<Bytes> share_result(MPI_Comm comm, int root, const Result<Bytes> &bytes);

/// Collective: `bytes` of each rank on `root`, in rank order; empty elsewhere.
Result<std::vector<Bytes>> gather(MPI_Comm comm, int root, const Bytes &bytes);

/// Collective: what `root` says of its own work, on every rank.
Done share_outcome(MPI_Comm comm, int root, const Done &mine);

/// Collective: fine when all are; else the error of the lowest rank that has one, on every rank.
Done agree(MPI_Comm comm, const Done &mine);

}
