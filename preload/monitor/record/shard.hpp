// SPDX-License-Identifier: BSD-3-Clause
// What one thread counts: its cells, found by their address, and its history of windows.
#pragma once

#include "record/arena.hpp"
#include "record/window.hpp"

#include <tsl/robin_map.h>

namespace nereus::monitor {

struct AddressHash {
    std::size_t operator()(const Address &address) const;
};

class Shard {
public:
    Shard(Arena &arena, const Ticker &ticker, int most_pieces)
        : arena_(arena), ticker_(ticker), history_(arena, most_pieces) {}

    /// The cell of the address, a new one where there is none; nullptr where there is no room for one more.
    Cell *cell(const Address &address);

    void count(Cell *cell, std::uint64_t bytes, std::uint64_t messages = 1) {
        if (!cell) return add(arena_.head().lost, messages);
        const std::uint32_t window = ticker_.window();
        if (cell->window.load(std::memory_order_relaxed) != window) open_window(*cell, window);
        add(cell->messages, messages);
        add(cell->bytes, messages * bytes);
        add(cell->histogram[bin_of(bytes)], messages);
    }
    void count(const Address &address, std::uint64_t bytes, std::uint64_t messages = 1) {
        count(cell(address), bytes, messages);
    }

private:
    void open_window(Cell &cell, std::uint32_t window);

    Arena &arena_;
    const Ticker &ticker_;
    History history_;
    tsl::robin_map<Address, Cell *, AddressHash> cells_;
};

}
