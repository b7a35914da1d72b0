// SPDX-License-Identifier: BSD-3-Clause
#include "epochs/epoch_reader.hpp"

#include "epochs/crc32c.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace nereus::epochs {
namespace {

using nlohmann::json;

constexpr std::int64_t most_array_metadata_bytes = 1 << 16;

/// It names the file: what is missing was said by the system, in its words.
tl::unexpected<Error> damaged(const Error &why) { return failed(NEREUS_ERR_MISMATCH, why.what); }

}

Result<std::string> document_of(const SaveFolder &folder, std::uint64_t epoch) {
    const Path path = folder.folder_of(epoch) / "zarr.json";
    const auto text = read_text(folder.files(), path, most_metadata_bytes);
    if (!text) return damaged(text.error());
    const json group = json::parse(*text, nullptr, false);
    const auto document = json::json_pointer("/attributes/nereus");
    if (group.is_object() && group.contains(document) && group.at(document).is_object())
        return group.at(document).dump(-1, ' ', false, json::error_handler_t::replace);
    return failed(NEREUS_ERR_MISMATCH, path.string() + ": describes no epoch");
}

Done EpochReader::check_chunk(const ArrayForm &array, std::int64_t chunk) const {
    const Path path = place_ / array.chunk_file(chunk);
    auto file = files_.open_to_read(path);
    if (!file) return damaged(file.error());
    const auto length = (*file)->length();
    if (!length) return damaged(length.error());
    const std::int64_t wanted = array.chunk_bytes() + checksum_bytes;
    if (*length == wanted) return {};
    return failed(NEREUS_ERR_MISMATCH,
                  path.string() + ": has " + std::to_string(*length) + " B and should have " + std::to_string(wanted));
}

Done EpochReader::check_files() const {
    for (const ArrayForm &array : arrays_) {
        const auto text = read_text(files_, place_ / array.metadata_file(), most_array_metadata_bytes);
        if (!text) return damaged(text.error());
        if (auto done = array.check_metadata(*text); !done) return done;
        for (std::int64_t chunk = 0; chunk < array.chunks(); ++chunk)
            if (auto done = check_chunk(array, chunk); !done) return done;
    }
    return {};
}

Result<File *> EpochReader::chunk(std::int64_t array, std::int64_t chunk) {
    if (open_.array == array && open_.chunk == chunk) return open_.file.get();
    auto file = files_.open_to_read(place_ / arrays_[static_cast<std::size_t>(array)].chunk_file(chunk));
    if (!file) return damaged(file.error());
    open_ = {array, chunk, std::move(*file)};
    return open_.file.get();
}

Done EpochReader::read_parts(std::size_t number, plan::Range elements, std::byte *bytes,
                             std::vector<ChunkPiece> *pieces) {
    const auto array = static_cast<std::int64_t>(number);
    for (const ChunkPart &part : chunk_parts(arrays_[number], elements)) {
        const auto count = static_cast<std::size_t>(part.bytes);
        auto file = chunk(array, part.chunk);
        if (!file) return tl::unexpected(file.error());
        if (auto done = (*file)->read_at(part.place, bytes, count); !done) return done;
        if (pieces != nullptr) pieces->push_back({array, part.chunk, part.place, part.bytes, crc32c(bytes, count)});
        bytes += part.bytes;
    }
    return {};
}

Done EpochReader::read(std::size_t number, plan::Range elements, std::byte *bytes) {
    return read_parts(number, elements, bytes, &pieces_);
}

Done EpochReader::read_again(std::size_t number, plan::Range elements, std::byte *bytes) {
    return read_parts(number, elements, bytes, nullptr);
}

Done EpochReader::check_checksums(const std::vector<ChunkPiece> &pieces) const {
    const auto found = chunk_checksums(arrays_, pieces);
    if (!found) return tl::unexpected(found.error());
    for (const ChunkChecksum &each : *found) {
        const ArrayForm &array = arrays_[static_cast<std::size_t>(each.array)];
        const Path path = place_ / array.chunk_file(each.chunk);
        auto file = files_.open_to_read(path);
        if (!file) return damaged(file.error());
        std::array<std::byte, checksum_bytes> bytes{};
        if (auto done = (*file)->read_at(array.chunk_bytes(), bytes.data(), bytes.size()); !done) return done;
        std::uint32_t kept = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i) kept |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
        if (kept != each.checksum)
            return failed(NEREUS_ERR_MISMATCH, path.string() + ": does not fit its checksum: chunk " +
                                                   std::to_string(each.chunk) + " of \"" + array.name +
                                                   "\" was changed");
    }
    return {};
}

}
