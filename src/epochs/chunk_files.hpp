// SPDX-License-Identifier: BSD-3-Clause
// Bytes of chunks in the files of one epoch, complete or not.
#pragma once

#include "epochs/chunk_piece.hpp"
#include "epochs/files.hpp"

#include <memory>
#include <vector>

namespace nereus::epochs {

class ChunkFiles {
public:
    /// @param place  folder of the epoch
    ChunkFiles(Files &files, Path place, std::vector<ArrayForm> arrays)
        : files_(files), place_(std::move(place)), arrays_(std::move(arrays)) {}

    /// Of a piece that lies in a chunk of an array (lies_in()).
    Done read(const ChunkPiece &piece, std::byte *bytes);
    Done write(const ChunkPiece &piece, const std::byte *bytes);

private:
    using Open = Result<std::unique_ptr<File>> (Files::*)(const Path &);
    /// The file of the last chunk that was read or written; others come after it as a rule.
    struct LastFile {
        std::int64_t array = -1, chunk = -1;
        std::unique_ptr<File> file;
    };

    Result<File *> file_of(const ChunkPiece &piece, LastFile &last, Open open);

    Files &files_;
    Path place_;
    std::vector<ArrayForm> arrays_;
    LastFile read_, written_;
};

}
