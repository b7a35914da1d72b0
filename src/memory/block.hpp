// SPDX-License-Identifier: BSD-3-Clause
// Memory of one process for the part of an array. Large blocks are mapped each on its own: their pages can move to
// another block, so that what a process keeps in a resize is neither copied nor touched anew.
#pragma once

#include <cstddef>

namespace nereus::memory {

/// Blocks from this size on are mapped.
inline constexpr std::size_t least_mapped = std::size_t{1} << 20;

/// Aligned to cache lines; NULL when there is none. `bytes` may be 0.
void *take_block(std::size_t bytes);

/// A block to whose byte number `at` the pages at `place` can move.
void *take_block_like(const void *place, std::size_t at, std::size_t bytes);

/// What take_block() or take_block_like() gave, or NULL.
void give_back_block(void *block);

/// The bytes at `from` become those at `to`: pages move where both are mapped blocks that lie alike in their pages,
/// what is left is copied. What `from` holds afterwards is undefined.
void hand_over(std::byte *from, std::byte *to, std::size_t bytes);

}
