// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/piece_holders.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

namespace nereus::job {
namespace {

using epochs::ArrayForm;
using epochs::ChunkPiece;
using OfHosts = std::vector<std::vector<ChunkPiece>>;

const std::vector<ArrayForm> arrays{{"x", "uint8", 100, 1}, {"y", "float64", 9, 8}};

/// Pieces of the arrays, cut anywhere; each on one host at least.
struct Held {
    OfHosts of_hosts;
    std::vector<ChunkPiece> all{};

    explicit Held(std::size_t hosts) : of_hosts(hosts) {
        for (std::size_t number = 0; number < arrays.size(); ++number)
            for (std::int64_t place = 0; place < arrays[number].bytes();) {
                const auto bytes = *rc::gen::inRange<std::int64_t>(1, arrays[number].bytes() - place + 1);
                add({static_cast<std::int64_t>(number), 0, place, bytes, 7});
                place += bytes;
            }
    }

    void add(const ChunkPiece &piece) {
        all.push_back(piece);
        const auto hosts = *rc::gen::inRange<unsigned>(1, 1U << of_hosts.size()); // a bit for each
        for (std::size_t host = 0; host < of_hosts.size(); ++host)
            if ((hosts >> host & 1U) != 0) of_hosts[host].push_back(piece);
    }

    bool has(std::size_t host, const ChunkPiece &part, std::int64_t byte) const {
        return std::ranges::any_of(of_hosts[host], [&](const ChunkPiece &piece) {
            return piece.array == part.array && piece.place <= byte && byte < piece.place + piece.bytes;
        });
    }
};

RC_GTEST_PROP(PieceHolders, WhatAHostLacksIsWhatItHasNotAndOthersHave, ()) {
    const Held held(*rc::gen::inRange<std::size_t>(1, 5));
    const PieceHolders holders(arrays, held.of_hosts);
    const auto host = *rc::gen::inRange<std::size_t>(0, held.of_hosts.size());
    const auto array = *rc::gen::inRange<std::size_t>(0, arrays.size());
    const auto first = *rc::gen::inRange<std::int64_t>(0, arrays[array].elements + 1);
    const plan::Range wanted{first, *rc::gen::inRange<std::int64_t>(first, arrays[array].elements + 1)};
    std::set<std::int64_t> lacked;
    for (const ChunkPiece &part : holders.lacked(host, array, wanted)) {
        RC_ASSERT(part.bytes > 0);
        for (std::int64_t byte = part.place; byte < part.place + part.bytes; ++byte) {
            RC_ASSERT(lacked.insert(byte).second);
            for (const std::size_t other : holders.hosts_of(part)) RC_ASSERT(held.has(other, part, byte));
        }
    }
    const ChunkPiece of_array{static_cast<std::int64_t>(array), 0, 0, 0, 0};
    for (std::int64_t byte = 0; byte < arrays[array].bytes(); ++byte) {
        const std::int64_t element = byte / arrays[array].extent;
        const bool is_wanted = wanted.first <= element && element < wanted.end;
        RC_ASSERT(lacked.contains(byte) == (is_wanted && !held.has(host, of_array, byte)));
    }
}

RC_GTEST_PROP(PieceHolders, AreWholeWithEachPieceOnAnyHostAndNotWithoutOne, ()) {
    Held held(*rc::gen::inRange<std::size_t>(1, 5));
    RC_ASSERT(PieceHolders(arrays, held.of_hosts).checksums().has_value());
    const auto lost = *rc::gen::elementOf(held.all);
    for (auto &pieces : held.of_hosts)
        std::erase_if(pieces,
                      [&](const ChunkPiece &piece) { return piece.array == lost.array && piece.place == lost.place; });
    RC_ASSERT(!PieceHolders(arrays, held.of_hosts).checksums().has_value());
}

TEST(PieceHolders, HostsThatContradictEachOtherHaveNoEpoch) {
    const std::vector<ArrayForm> one{{"x", "uint8", 10, 1}};
    const PieceHolders holders(one, {{{0, 0, 0, 10, 7}}, {{0, 0, 0, 10, 8}}});
    EXPECT_FALSE(holders.checksums());
}

}
}
