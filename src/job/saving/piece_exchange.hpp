// SPDX-License-Identifier: BSD-3-Clause
// Pieces of epochs go from the files of one host into those of another, a few MiB at a time.
#pragma once

#include "epochs/chunk_files.hpp"
#include "job/saving/gathered_pieces.hpp"

#include <cstdint>
#include <vector>

namespace nereus::job {

/// That are in the memory of one process, of a piece that is read or sent.
inline constexpr std::int64_t most_bytes_at_once = std::int64_t{4} << 20;

/// Collective: lists for each rank. @return those of each rank for this one
Result<std::vector<Pieces>> exchanged_lists(MPI_Comm comm, const std::vector<Pieces> &for_each);

/// Collective: bytes of pieces that lie in `files`, where bytes that come are written too. What a rank sends to another
/// must be what that one expects of it. After an error others are served to the end, with bytes that mean nothing: all
/// have to agree that it went well before they use any.
Done move_pieces(MPI_Comm comm, const std::vector<Pieces> &to_each, const std::vector<Pieces> &from_each,
                 epochs::ChunkFiles &files);

}
