// SPDX-License-Identifier: BSD-3-Clause
#include "epochs/chunk_piece.hpp"

#include "epochs/crc32c.hpp"

#include <algorithm>
#include <tuple>

namespace nereus::epochs {
namespace {

using Pieces = std::vector<ChunkPiece>;

/// Bytes of a chunk that are elements of the array.
std::int64_t bytes_in_chunk(const ArrayForm &array, std::int64_t chunk) {
    return std::min(array.chunk_bytes(), array.bytes() - chunk * array.chunk_bytes());
}

/// Takes the pieces of one chunk from `next` on.
Result<std::uint32_t> checksum_of(const ArrayForm &array, std::int64_t number, std::int64_t chunk,
                                  Pieces::const_iterator &next, Pieces::const_iterator end) {
    std::uint32_t checksum = 0;
    std::int64_t place = 0;
    for (; next != end && next->array == number && next->chunk == chunk && next->place == place; ++next) {
        checksum = joined_crc32c(checksum, next->checksum, static_cast<std::uint64_t>(next->bytes));
        place += next->bytes;
    }
    if (place != bytes_in_chunk(array, chunk))
        return failed(NEREUS_ERR_STATE, "chunk " + std::to_string(chunk) + " of \"" + array.name +
                                            "\": its pieces do not fit together at byte " + std::to_string(place));
    const auto padding = static_cast<std::uint64_t>(array.chunk_bytes() - place);
    return joined_crc32c(checksum, crc32c_of_zeros(padding), padding);
}

}

bool lies_in(const std::vector<ArrayForm> &arrays, const ChunkPiece &piece) {
    if (piece.array < 0 || piece.array >= std::ssize(arrays)) return false;
    const ArrayForm &array = arrays[static_cast<std::size_t>(piece.array)];
    if (piece.chunk < 0 || piece.chunk >= array.chunks()) return false;
    const std::int64_t all = bytes_in_chunk(array, piece.chunk);
    return piece.place >= 0 && piece.bytes >= 0 && piece.place <= all && piece.bytes <= all - piece.place;
}

Result<std::vector<ChunkChecksum>> chunk_checksums(const std::vector<ArrayForm> &arrays, Pieces pieces) {
    std::erase_if(pieces, [](const ChunkPiece &piece) { return piece.bytes == 0; });
    std::ranges::sort(pieces, {}, [](const ChunkPiece &p) { return std::tuple(p.array, p.chunk, p.place); });
    std::vector<ChunkChecksum> checksums;
    Pieces::const_iterator next = pieces.begin();
    for (std::int64_t number = 0; number < std::ssize(arrays); ++number) {
        const ArrayForm &array = arrays[static_cast<std::size_t>(number)];
        for (std::int64_t chunk = 0; chunk < array.chunks(); ++chunk) {
            auto checksum = checksum_of(array, number, chunk, next, pieces.end());
            if (!checksum) return tl::unexpected(checksum.error());
            checksums.push_back({number, chunk, *checksum});
        }
    }
    if (next != pieces.end())
        return failed(NEREUS_ERR_STATE, "a piece of chunk " + std::to_string(next->chunk) + " of array " +
                                            std::to_string(next->array) + " belongs to none");
    return checksums;
}

}
