// SPDX-License-Identifier: BSD-3-Clause
// What one process wrote to a chunk, or read from it; the checksums of all pieces of a chunk make that of the chunk.
#pragma once

#include "base/error.hpp"
#include "epochs/array_form.hpp"

#include <cstdint>
#include <vector>

namespace nereus::epochs {

/// Travels as its bytes between processes of one architecture.
struct ChunkPiece {
    std::int64_t array; ///< its number among those of the epoch
    std::int64_t chunk;
    std::int64_t place; ///< in the chunk
    std::int64_t bytes;
    std::uint32_t checksum;
    std::uint32_t unused = 0; ///< so that all bytes are defined
};

/// Whether a piece that came from elsewhere lies in the elements of a chunk.
bool lies_in(const std::vector<ArrayForm> &arrays, const ChunkPiece &piece);

/// The checksum of a chunk.
struct ChunkChecksum {
    std::int64_t array;
    std::int64_t chunk;
    std::uint32_t checksum;
};

/// Of all chunks of all arrays, in their order, from pieces in any order. NEREUS_ERR_STATE names a chunk whose pieces
/// leave something out or overlap.
Result<std::vector<ChunkChecksum>> chunk_checksums(const std::vector<ArrayForm> &arrays,
                                                   std::vector<ChunkPiece> pieces);

}
