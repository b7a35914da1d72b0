// SPDX-License-Identifier: BSD-3-Clause
// Reads one epoch. Nothing in it is believed: each file is checked against what the epoch is said to hold, and each
// chunk against its checksum, once all of it has been read, by whomever.
#pragma once

#include "epochs/chunk_piece.hpp"
#include "epochs/save_folder.hpp"

#include <memory>
#include <string>
#include <vector>

namespace nereus::epochs {

/// The JSON object that EpochWriter::complete() was given. NEREUS_ERR_MISMATCH where there is none.
Result<std::string> document_of(const SaveFolder &folder, std::uint64_t epoch);

class EpochReader {
public:
    EpochReader(const SaveFolder &folder, std::uint64_t epoch, std::vector<ArrayForm> arrays)
        : files_(folder.files()), place_(folder.folder_of(epoch)), arrays_(std::move(arrays)) {}

    /// Whether all files are there and as long as they have to be; NEREUS_ERR_MISMATCH names one that is not.
    Done check_files() const;
    /// Elements of array `number`, in global order; to be checked.
    Done read(std::size_t number, plan::Range elements, std::byte *bytes);
    /// The same of elements that others read too, which are not checked again.
    Done read_again(std::size_t number, plan::Range elements, std::byte *bytes);
    /// What this process has read to be checked.
    const std::vector<ChunkPiece> &pieces() const { return pieces_; }
    /// NEREUS_ERR_MISMATCH names a chunk that does not fit its checksum. @param pieces  of all processes
    Done check_checksums(const std::vector<ChunkPiece> &pieces) const;

private:
    struct OpenChunk {
        std::int64_t array = -1, chunk = -1;
        std::unique_ptr<File> file;
    };

    Result<File *> chunk(std::int64_t array, std::int64_t chunk);
    Done read_parts(std::size_t number, plan::Range elements, std::byte *bytes, std::vector<ChunkPiece> *pieces);
    Done check_chunk(const ArrayForm &array, std::int64_t chunk) const;

    Files &files_;
    Path place_;
    std::vector<ArrayForm> arrays_;
    OpenChunk open_; ///< the last one that was read from
    std::vector<ChunkPiece> pieces_;
};

}
