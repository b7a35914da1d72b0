// SPDX-License-Identifier: BSD-3-Clause
// Makes one epoch: one process begins it, all write their elements, and the first completes it.
//
//     begin()                   one process
//     write() ... finish()      each process, its own elements of each array
//     complete() or discard()   one process, with the pieces of all
//
// Nothing is complete before complete() has returned; who dies before leaves the epoch before as it is.
#pragma once

#include "epochs/chunk_piece.hpp"
#include "epochs/save_folder.hpp"

#include <memory>
#include <string>
#include <vector>

namespace nereus::epochs {

class EpochWriter {
public:
    EpochWriter(SaveFolder folder, std::uint64_t epoch, std::vector<ArrayForm> arrays);

    /// Folders for all chunks.
    Done begin();
    /// Array `number` is the one of an earlier epoch, in the same files; who has pieces of it adopts them.
    Done link(std::size_t number, std::uint64_t earlier);
    void adopt(const std::vector<ChunkPiece> &pieces) { pieces_.insert(pieces_.end(), pieces.begin(), pieces.end()); }
    /// Elements of array `number`, in global order.
    Done write(std::size_t number, plan::Range elements, const std::byte *bytes);
    /// All that this process wrote is on the disk.
    Done finish();
    /// What this process wrote or adopted since begin().
    const std::vector<ChunkPiece> &pieces() const { return pieces_; }

    /// @param pieces    of all processes
    /// @param document  JSON object for attributes of the epoch, by the key `nereus`
    Done complete(const std::vector<ChunkPiece> &pieces, const std::string &document);
    void discard();

private:
    struct OpenChunk {
        std::int64_t array = -1, chunk = -1;
        std::unique_ptr<File> file;
    };

    Path place() const { return folder_.unfinished(epoch_); }
    Result<File *> chunk(std::int64_t array, std::int64_t chunk);
    Done write_checksums(const std::vector<ChunkPiece> &pieces);
    Done write_metadata(const std::string &document);
    Done sync_folders();

    SaveFolder folder_;
    std::uint64_t epoch_;
    std::vector<ArrayForm> arrays_;
    OpenChunk open_; ///< the last one that was written to
    std::vector<ChunkPiece> pieces_;
};

}
