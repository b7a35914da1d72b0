// SPDX-License-Identifier: BSD-3-Clause
// Moves pages of this process from one address to another without copying what is in them.
#pragma once

#include <cstddef>

namespace nereus::memory {

std::size_t page_size();

/// Moves whole pages of one private anonymous mapping onto those at `to`, which lie in another one. Where the kernel
/// does not move pages, or something between us and it moves them wrongly, they are copied. `from` stays mapped; what
/// it holds afterwards is undefined.
void move_or_copy_pages(std::byte *from, std::byte *to, std::size_t bytes);

}
