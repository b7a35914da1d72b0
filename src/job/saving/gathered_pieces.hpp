// SPDX-License-Identifier: BSD-3-Clause
// Checksums of what all processes wrote or read, on rank 0.
#pragma once

#include "epochs/chunk_piece.hpp"
#include "mpi/check.hpp"

#include <vector>

namespace nereus::job {

/// Collective: those of all processes on rank 0, none elsewhere.
Result<std::vector<epochs::ChunkPiece>> gathered(MPI_Comm comm, const std::vector<epochs::ChunkPiece> &own);

}
