// SPDX-License-Identifier: BSD-3-Clause
// Pieces of epochs go from the files of one host into those of another, a few MiB at a time.
#pragma once

#include "epochs/chunk_files.hpp"
#include "mpi/check.hpp"

#include <vector>

namespace nereus::job {

using Pieces = std::vector<epochs::ChunkPiece>;

/// Collective: lists for each rank. @return those of each rank for this one
Result<std::vector<Pieces>> exchanged_lists(MPI_Comm comm, const std::vector<Pieces> &for_each);

/// Collective: bytes of pieces that lie in `files`, where bytes that come are written too. What a rank sends to another
/// must be what that one expects of it. After an error others are served to the end, with bytes that mean nothing: all
/// have to agree that it went well before they use any.
Done move_pieces(MPI_Comm comm, const std::vector<Pieces> &to_each, const std::vector<Pieces> &from_each,
                 epochs::ChunkFiles &files);

}
