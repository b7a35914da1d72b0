// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.hpp"

#include <algorithm>

namespace ulfm_bench {
namespace {

/// An odd factor: no two places have the same value.
std::uint64_t value_at(std::size_t place) { return place * 0x9E3779B97F4A7C15U; }

}

Block Blocks::of(int rank) const {
    const auto number = static_cast<std::size_t>(rank), all = static_cast<std::size_t>(processes);
    const std::size_t least = elements / all, longer = elements % all;
    return {number * least + std::min(number, longer), least + (number < longer ? 1 : 0)};
}

Block common_part(Block one, Block other) {
    const std::size_t first = std::max(one.first, other.first), end = std::min(one.end(), other.end());
    return {first, end > first ? end - first : 0};
}

Elements filled(Block block) {
    Elements part(block.count);
    for (std::size_t i = 0; i < block.count; ++i) part[i] = value_at(block.first + i);
    return part;
}

bool is_right(const Elements &part, Block block) {
    constexpr std::size_t samples = 1000;
    if (part.size() != block.count) return false;
    const std::size_t step = std::max<std::size_t>(1, block.count / samples);
    for (std::size_t i = 0; i < block.count; i += step)
        if (part[i] != value_at(block.first + i)) return false;
    return part.empty() || part.back() == value_at(block.end() - 1);
}

}
