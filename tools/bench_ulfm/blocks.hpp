// SPDX-License-Identifier: BSD-3-Clause
// An array in blocks of consecutive elements, one for each process, whose lengths differ by one at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ulfm_bench {

using Elements = std::vector<std::uint64_t>;

struct Block {
    std::size_t first = 0, count = 0;

    std::size_t end() const { return first + count; }
};

struct Blocks {
    std::size_t elements = 0;
    int processes = 1;

    Block of(int rank) const;
};

/// Elements of both.
Block common_part(Block one, Block other);

/// Each element has a value of its own.
Elements filled(Block block);

/// Whether a block has its values: the first, the last and a thousand between them.
bool is_right(const Elements &part, Block block);

}
