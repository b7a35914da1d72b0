// SPDX-License-Identifier: BSD-3-Clause
// An epoch of arrays with known bytes, saved and read back by any number of writers and readers.
#pragma once

#include "epochs/epoch_reader.hpp"
#include "epochs/epoch_writer.hpp"
#include "plan/distribution.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nereus::epochs {

using Bytes = std::vector<std::byte>;

/// A folder that goes with the test.
class OwnFolder {
public:
    OwnFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "nereus-epochs-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    OwnFolder(const OwnFolder &) = delete;
    OwnFolder &operator=(const OwnFolder &) = delete;
    ~OwnFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const Path &path() const { return path_; }

private:
    Path path_;
};

inline Bytes bytes_of(const ArrayForm &array, std::uint64_t epoch) {
    Bytes bytes(static_cast<std::size_t>(array.bytes()));
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(((i + epoch * 1000003) * 0x9E3779B97F4A7C15ULL) >> 56);
    return bytes;
}

inline const std::vector<ArrayForm> &usual_arrays() {
    static const std::vector<ArrayForm> arrays{
        {"x", "float64", 1003, 8}, {"bodies", "", 7, 24}, {"none", "int8", 0, 1}, {"a name / of ..", "uint8", 5, 1}};
    return arrays;
}

/// As `writers` processes do, one after the other.
inline Done save(SaveFolder folder, std::uint64_t epoch, const std::vector<ArrayForm> &arrays, int writers) {
    EpochWriter first(folder, epoch, arrays);
    std::vector<ChunkPiece> pieces;
    Done done = first.begin();
    for (int rank = 0; done && rank < writers; ++rank) {
        EpochWriter writer(folder, epoch, arrays);
        for (std::size_t i = 0; done && i < arrays.size(); ++i) {
            const plan::Distribution shares(plan::Layout::block, arrays[i].elements, writers);
            const plan::Range own = shares.range_of(rank);
            done = writer.write(i, own, bytes_of(arrays[i], epoch).data() + own.first * arrays[i].extent);
        }
        if (done) done = writer.finish();
        pieces.insert(pieces.end(), writer.pieces().begin(), writer.pieces().end());
    }
    if (done) done = first.complete(pieces, nlohmann::json{{"epoch", epoch}}.dump());
    if (!done) first.discard();
    return done;
}

/// As `readers` processes do; whether all bytes came back.
inline Result<bool> read_back(const SaveFolder &folder, std::uint64_t epoch, const std::vector<ArrayForm> &arrays,
                              int readers) {
    EpochReader reader(folder, epoch, arrays);
    if (auto done = reader.check_files(); !done) return tl::unexpected(done.error());
    bool same = true;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        Bytes bytes(static_cast<std::size_t>(arrays[i].bytes()));
        for (int rank = 0; rank < readers; ++rank) {
            const plan::Range own = plan::Distribution(plan::Layout::block, arrays[i].elements, readers).range_of(rank);
            auto done = reader.read(i, own, bytes.data() + own.first * arrays[i].extent);
            if (!done) return tl::unexpected(done.error());
        }
        same = same && bytes == bytes_of(arrays[i], epoch);
    }
    if (auto done = reader.check_checksums(reader.pieces()); !done) return tl::unexpected(done.error());
    return same;
}

}
