// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/piece_holders.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace nereus::job {
namespace {

using epochs::ChunkPiece;

/// Two records that differ in anything are of different pieces; that they overlap is found by their checksums.
auto key_of(const ChunkPiece &piece) {
    return std::tuple(piece.array, piece.chunk, piece.place, piece.bytes, piece.checksum);
}

}

PieceHolders::PieceHolders(std::vector<epochs::ArrayForm> arrays, const std::vector<std::vector<ChunkPiece>> &of_hosts)
    : arrays_(std::move(arrays)) {
    struct Held {
        ChunkPiece piece;
        std::vector<std::size_t> hosts;
    };
    std::map<decltype(key_of(ChunkPiece{})), Held> all;
    for (std::size_t host = 0; host < of_hosts.size(); ++host)
        for (const ChunkPiece &piece : of_hosts[host]) {
            if (piece.bytes == 0) continue;
            Held &held = all.try_emplace(key_of(piece), Held{piece, {}}).first->second;
            if (held.hosts.empty() || held.hosts.back() != host) held.hosts.push_back(host);
        }
    for (auto &[key, held] : all) {
        pieces_.push_back(held.piece);
        hosts_.push_back(std::move(held.hosts));
    }
}

Result<std::vector<epochs::ChunkChecksum>> PieceHolders::checksums() const {
    return epochs::chunk_checksums(arrays_, pieces_);
}

std::size_t PieceHolders::first_from(std::int64_t array, std::int64_t chunk, std::int64_t place) const {
    const auto ends_before = [&](const ChunkPiece &piece) {
        return std::tuple(piece.array, piece.chunk, piece.place + piece.bytes) <= std::tuple(array, chunk, place);
    };
    return static_cast<std::size_t>(std::ranges::partition_point(pieces_, ends_before) - pieces_.begin());
}

std::vector<PieceHolders::Part> PieceHolders::parts_of(std::size_t array, plan::Range elements) const {
    std::vector<Part> found;
    const auto number = static_cast<std::int64_t>(array);
    for (const epochs::ChunkPart &part : epochs::chunk_parts(arrays_[array], elements)) {
        const std::int64_t end = part.place + part.bytes;
        const auto reaches = [&](const ChunkPiece &piece) {
            return piece.array == number && piece.chunk == part.chunk && piece.place < end;
        };
        for (std::size_t i = first_from(number, part.chunk, part.place); i < pieces_.size() && reaches(pieces_[i]);
             ++i) {
            const std::int64_t from = std::max(pieces_[i].place, part.place);
            const std::int64_t to = std::min(pieces_[i].place + pieces_[i].bytes, end);
            found.push_back({i, {number, part.chunk, from, to - from, 0}});
        }
    }
    return found;
}

std::vector<ChunkPiece> PieceHolders::lacked(std::size_t host, std::size_t array, plan::Range elements) const {
    std::vector<ChunkPiece> found;
    for (const Part &each : parts_of(array, elements))
        if (!std::ranges::binary_search(hosts_[each.number], host)) found.push_back(each.part);
    return found;
}

std::vector<ChunkPiece> PieceHolders::held(std::size_t host, std::size_t array, plan::Range elements) const {
    std::vector<ChunkPiece> found;
    for (const Part &each : parts_of(array, elements))
        if (std::ranges::binary_search(hosts_[each.number], host)) found.push_back(pieces_[each.number]);
    return found;
}

const std::vector<std::size_t> &PieceHolders::hosts_of(const ChunkPiece &part) const {
    return hosts_[first_from(part.array, part.chunk, part.place)];
}

const ChunkPiece &PieceHolders::piece_of(const ChunkPiece &part) const {
    return pieces_[first_from(part.array, part.chunk, part.place)];
}

}
