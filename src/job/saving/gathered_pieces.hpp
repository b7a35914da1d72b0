// SPDX-License-Identifier: BSD-3-Clause
// Pieces of epochs that all processes wrote or read, on one of them or on all.
#pragma once

#include "epochs/chunk_piece.hpp"
#include "mpi/check.hpp"

#include <vector>

namespace nereus::job {

using Pieces = std::vector<epochs::ChunkPiece>;

/// Collective: those of all processes on rank 0, none elsewhere.
Result<Pieces> gathered(MPI_Comm comm, const Pieces &own);

/// Collective: those of all processes on each.
Result<Pieces> shared_pieces(MPI_Comm comm, const Pieces &own);

}
