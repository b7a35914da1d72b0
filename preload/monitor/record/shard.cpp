// SPDX-License-Identifier: BSD-3-Clause
#include "record/shard.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace nereus::monitor {

std::size_t AddressHash::operator()(const Address &address) const {
    const std::array<std::uint64_t, 3> words{
        static_cast<std::uint64_t>(address.kind) | static_cast<std::uint64_t>(address.call) << 8 |
            static_cast<std::uint64_t>(address.reach) << 16 | static_cast<std::uint64_t>(address.phase) << 24,
        std::uint64_t{address.generation} << 32 | address.scope, address.peer};
    return XXH3_64bits(words.data(), sizeof words);
}

Cell *Shard::cell(const Address &address) {
    const auto found = cells_.find(address);
    if (found != cells_.end()) return found->second;
    Cell *made = arena_.place<Cell>(sizeof(Cell), address);
    if (!made) return nullptr;
    made->window.store(ticker_.window(), std::memory_order_relaxed);
    Arena::publish(*made);
    cells_.emplace(address, made);
    return made;
}

void Shard::open_window(Cell &cell, std::uint32_t window) {
    history_.note(cell);
    cell.messages_before_window.store(get(cell.messages), std::memory_order_relaxed);
    cell.bytes_before_window.store(get(cell.bytes), std::memory_order_relaxed);
    cell.window.store(window, std::memory_order_relaxed);
}

}
