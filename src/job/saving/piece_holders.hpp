// SPDX-License-Identifier: BSD-3-Clause
// Which hosts have which pieces of an epoch in memory, and what of it one of them lacks.
#pragma once

#include "epochs/chunk_piece.hpp"
#include "plan/layout.hpp"

#include <cstddef>
#include <vector>

namespace nereus::job {

class PieceHolders {
public:
    /// @param of_hosts  pieces that each host has
    PieceHolders(std::vector<epochs::ArrayForm> arrays, const std::vector<std::vector<epochs::ChunkPiece>> &of_hosts);

    /// Checksums of all chunks. NEREUS_ERR_STATE names one of which some host must have had a part that none has.
    Result<std::vector<epochs::ChunkChecksum>> checksums() const;
    /// All pieces, each once.
    const std::vector<epochs::ChunkPiece> &pieces() const { return pieces_; }

    /// What a host lacks of these elements: parts of pieces, without checksums.
    std::vector<epochs::ChunkPiece> lacked(std::size_t host, std::size_t array, plan::Range elements) const;
    /// Whole pieces that it has, with some of these elements.
    std::vector<epochs::ChunkPiece> held(std::size_t host, std::size_t array, plan::Range elements) const;
    /// Which hosts have a part of a piece, ascending.
    const std::vector<std::size_t> &hosts_of(const epochs::ChunkPiece &part) const;
    /// The piece that it is a part of.
    const epochs::ChunkPiece &piece_of(const epochs::ChunkPiece &part) const;

private:
    /// Number of the first piece that does not end before this place.
    std::size_t first_from(std::int64_t array, std::int64_t chunk, std::int64_t place) const;
    /// Numbers of pieces with some of these elements, each with what of it they are.
    struct Part {
        std::size_t number;
        epochs::ChunkPiece part;
    };
    std::vector<Part> parts_of(std::size_t array, plan::Range elements) const;

    std::vector<epochs::ArrayForm> arrays_;
    std::vector<epochs::ChunkPiece> pieces_;      ///< by array, chunk and place
    std::vector<std::vector<std::size_t>> hosts_; ///< of each piece, ascending
};

}
