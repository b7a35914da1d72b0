// SPDX-License-Identifier: BSD-3-Clause
// What an epoch says of itself (docs/formats/epochs.md): where the job was, and what was registered.
#pragma once

#include "epochs/array_form.hpp"
#include "epochs/chunk_piece.hpp"
#include "job/data/registry.hpp"
#include "job/saving/own_pieces.hpp"
#include "job/saving/restart_record.hpp"
#include "memory/handle.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nereus::job {

/// An array that is in shared memory which outlives the job's processes, and not in the epoch.
struct KeptArray {
    std::optional<memory::Handle> file{}; ///< in which it will lie again; none: its elements are in the epoch
    std::optional<memory::Handle> copy{}; ///< of an epoch in memory, where its elements are; none: they are in `file`
};

struct SavedEntry {
    Description is;          ///< but for `shared`
    bool own_memory = false; ///< the application's
    KeptArray kept{};
};

struct EpochDocument {
    std::uint64_t epoch = 0;
    std::int64_t iteration = 0; ///< checkpoints that the job had passed
    std::int64_t generation = 0;
    std::int64_t io_phases = 0; ///< that it had begun
    bool says_io = false;
    int ranks = 1;
    std::string program; ///< its file's name
    std::string mpi;     ///< the library's name and version
    double saved_unix = 0;
    std::vector<SavedEntry> entries;      ///< in the order of registration
    std::vector<SavedPieces> own;         ///< of the application, in the order of their names
    std::optional<RestartRecord> restart; ///< of one that was saved for a resize by restart
    /// Of one in memory of several hosts: pieces that are in these files; none: all are.
    std::optional<std::vector<epochs::ChunkPiece>> held{};
};

nlohmann::json as_json(const std::vector<epochs::ChunkPiece> &pieces);
/// Throws a std::exception where they are none of these arrays.
std::vector<epochs::ChunkPiece> pieces_from(const nlohmann::json &in, const std::vector<epochs::ArrayForm> &forms);

/// NEREUS_ERR_MISMATCH names two arrays of one name: what is registered may be called as data of the application's own
/// is kept.
Done check_array_names(const EpochDocument &document);

/// A JSON object.
std::string as_text(const EpochDocument &document);
/// NEREUS_ERR_MISMATCH says what of `text`, which came from a file, is not allowed.
Result<EpochDocument> document_from(const std::string &text);

/// One for each entry, in the same order, and then two for each of the application's own.
std::vector<epochs::ArrayForm> forms_of(const EpochDocument &document);

}
