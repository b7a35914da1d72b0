// SPDX-License-Identifier: BSD-3-Clause
#include "epochs/epoch_writer.hpp"

#include "base/index.hpp"
#include "epochs/crc32c.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <set>
#include <utility>

namespace nereus::epochs {
namespace {

using nlohmann::json;

/// Folders that hold files or folders of an array, those further in first.
std::vector<Path> folders_of(const ArrayForm &array) {
    std::set<Path> folders{array.folder(), array.folder() / "c"};
    for (std::int64_t chunk = 0; chunk < array.chunks(); ++chunk) folders.insert(array.chunk_file(chunk).parent_path());
    return {folders.rbegin(), folders.rend()};
}

std::array<std::byte, checksum_bytes> little_endian(std::uint32_t checksum) {
    std::array<std::byte, checksum_bytes> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(checksum >> (8 * i));
    return bytes;
}

std::string group_metadata(const std::string &document) {
    const json group{{"zarr_format", 3}, {"node_type", "group"}, {"attributes", {{"nereus", json::parse(document)}}}};
    return group.dump(2) + "\n";
}

}

EpochWriter::EpochWriter(SaveFolder folder, std::uint64_t epoch, std::vector<ArrayForm> arrays)
    : folder_(std::move(folder)), epoch_(epoch), arrays_(std::move(arrays)) {}

Done EpochWriter::begin() {
    if (auto done = folder_.begin(epoch_); !done) return done;
    for (const ArrayForm &array : arrays_)
        for (const Path &folder : folders_of(array))
            if (auto done = folder_.files().make_folder(place() / folder); !done) return done;
    return {};
}

Done EpochWriter::link(std::size_t number, std::uint64_t earlier) {
    const ArrayForm &array = arrays_[number];
    for (std::int64_t chunk = 0; chunk < array.chunks(); ++chunk) {
        const Path file = array.chunk_file(chunk);
        if (auto done = folder_.files().link(folder_.folder_of(earlier) / file, place() / file); !done) return done;
    }
    return {};
}

/// A process comes to each chunk once, in their order: one open file at a time is enough.
Result<File *> EpochWriter::chunk(std::int64_t array, std::int64_t chunk) {
    if (open_.array == array && open_.chunk == chunk) return open_.file.get();
    if (auto done = finish(); !done) return tl::unexpected(done.error());
    auto file = folder_.files().open_to_write(place() / arrays_[static_cast<std::size_t>(array)].chunk_file(chunk));
    if (!file) return tl::unexpected(file.error());
    open_ = {array, chunk, std::move(*file)};
    return open_.file.get();
}

Done EpochWriter::write(std::size_t number, plan::Range elements, const std::byte *bytes) {
    const auto array = static_cast<std::int64_t>(number);
    for (const ChunkPart &part : chunk_parts(arrays_[number], elements)) {
        const auto count = static_cast<std::size_t>(part.bytes);
        auto file = chunk(array, part.chunk);
        if (!file) return tl::unexpected(file.error());
        if (auto done = (*file)->write_at(part.place, bytes, count); !done) return done;
        pieces_.push_back({array, part.chunk, part.place, part.bytes, crc32c(bytes, count)});
        bytes += part.bytes;
    }
    return {};
}

Done EpochWriter::finish() {
    const OpenChunk open = std::exchange(open_, {});
    return open.file ? open.file->sync() : Done{};
}

/// What lies between the last element and the checksum was never written, and is read as zeros.
Done EpochWriter::write_checksums(const std::vector<ChunkPiece> &pieces) {
    const auto checksums = chunk_checksums(arrays_, pieces);
    if (!checksums) return tl::unexpected(checksums.error());
    for (const ChunkChecksum &each : *checksums) {
        const ArrayForm &array = arrays_[static_cast<std::size_t>(each.array)];
        const auto bytes = little_endian(each.checksum);
        auto file = folder_.files().open_to_write(place() / array.chunk_file(each.chunk));
        if (!file) return tl::unexpected(file.error());
        if (auto done = (*file)->write_at(array.chunk_bytes(), bytes.data(), bytes.size()); !done) return done;
        if (auto done = (*file)->sync(); !done) return done;
    }
    return {};
}

Done EpochWriter::write_metadata(const std::string &document) {
    for (const ArrayForm &array : arrays_)
        if (auto done = write_text(folder_.files(), place() / array.metadata_file(), array.metadata()); !done)
            return done;
    const std::string text = group_metadata(document);
    if (std::ssize(text) > most_metadata_bytes)
        return failed(NEREUS_ERR_RANGE, "what the epoch says of itself is " + std::to_string(text.size()) +
                                            " B long: allowed are " + std::to_string(most_metadata_bytes));
    return write_text(folder_.files(), place() / "zarr.json", text);
}

Done EpochWriter::sync_folders() {
    for (const ArrayForm &array : arrays_)
        for (const Path &folder : folders_of(array))
            if (auto done = folder_.files().sync_folder(place() / folder); !done) return done;
    return folder_.files().sync_folder(place());
}

Done EpochWriter::complete(const std::vector<ChunkPiece> &pieces, const std::string &document) {
    if (auto done = write_checksums(pieces); !done) return done;
    if (auto done = write_metadata(document); !done) return done;
    if (auto done = sync_folders(); !done) return done;
    return folder_.complete(epoch_);
}

void EpochWriter::discard() {
    open_ = {};
    folder_.discard(epoch_);
}

}
