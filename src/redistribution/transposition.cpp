// SPDX-License-Identifier: BSD-3-Clause
#include "redistribution/transposition.hpp"

#include <algorithm>
#include <cstring>

namespace nereus::redistribution {
namespace {

/// Lines of cache that a tile reads, and those that it writes, are used as a whole: two each, as they are fetched.
constexpr std::int64_t line_bytes = 128, least_edge = 4;

struct Tile {
    std::int64_t first_row, end_row, first_column, end_column;
};

/// Elements of `Bytes` bytes, which the compiler moves in a register.
template <std::size_t Bytes> struct Fixed {
    std::size_t bytes() const { return Bytes; }
};
struct Any {
    std::size_t extent;
    std::size_t bytes() const { return extent; }
};

template <class Element>
void transpose_tile(const std::byte *matrix, const Tile &tile, std::int64_t rows, std::int64_t columns, Element element,
                    std::byte *transposed) {
    const auto extent = static_cast<std::int64_t>(element.bytes());
    for (std::int64_t column = tile.first_column; column < tile.end_column; ++column) {
        const std::byte *from = matrix + column * extent;
        std::byte *to = transposed + column * rows * extent;
        for (std::int64_t row = tile.first_row; row < tile.end_row; ++row)
            std::memcpy(to + row * extent, from + row * columns * extent, element.bytes());
    }
}

template <class Element>
void transpose_by_tiles(const std::byte *matrix, std::int64_t rows, std::int64_t columns, Element element,
                        std::byte *transposed) {
    if (columns == 0) return; // there may be 2^62 rows of nothing
    const std::int64_t edge = std::max(line_bytes / static_cast<std::int64_t>(element.bytes()), least_edge);
    for (std::int64_t row = 0; row < rows; row += edge)
        for (std::int64_t column = 0; column < columns; column += edge)
            transpose_tile(matrix, {row, std::min(row + edge, rows), column, std::min(column + edge, columns)}, rows,
                           columns, element, transposed);
}

}

void transpose(const std::byte *matrix, std::int64_t rows, std::int64_t columns, std::int64_t extent,
               std::byte *transposed) {
    const auto by_tiles = [&](auto element) { transpose_by_tiles(matrix, rows, columns, element, transposed); };
    switch (extent) {
    case 1:
        return by_tiles(Fixed<1>{});
    case 2:
        return by_tiles(Fixed<2>{});
    case 4:
        return by_tiles(Fixed<4>{});
    case 8:
        return by_tiles(Fixed<8>{});
    case 16:
        return by_tiles(Fixed<16>{});
    default:
        return by_tiles(Any{static_cast<std::size_t>(extent)});
    }
}

Result<Transposition> Transposition::of(Redistribution wanted, int rank) {
    const bool at_source = wanted.from.ranks().size() >= wanted.to.ranks().size();
    Holders &side = at_source ? wanted.from : wanted.to;
    const auto bytes = static_cast<std::size_t>(side.count_of(rank) * wanted.extent);
    Room room(static_cast<std::byte *>(memory::take_block(bytes)));
    if (!room) return failed(NEREUS_ERR_MEMORY, "no memory for a transposed part of " + std::to_string(bytes) + " B");
    Holders other = side.transposed();
    const Holders &before = at_source ? side : other; // a new part is transposed when it has come
    const auto number = before.number_of(rank);
    const plan::MatrixSides part = number ? before.distribution().sides_of(*number) : plan::MatrixSides{0, 0};
    side = std::move(other);
    return Transposition(std::move(wanted), at_source, part, std::move(room));
}

Transposition::~Transposition() {
    if (!is_lent_) return;
    [[maybe_unused]] const std::byte *left_to_mpi = room_.release();
}

const std::byte *Transposition::prepared(const std::byte *old_part) {
    is_lent_ = true;
    if (!at_source_) return old_part;
    transpose(old_part, part_.rows, part_.columns, moved_.extent, room_.get());
    return room_.get();
}

void Transposition::finish(std::byte *new_part) {
    is_lent_ = false;
    if (!at_source_) transpose(room_.get(), part_.rows, part_.columns, moved_.extent, new_part);
}

}
