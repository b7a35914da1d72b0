// SPDX-License-Identifier: BSD-3-Clause
#include "record/totals.hpp"

#include "record/window.hpp"

#include <algorithm>
#include <functional>

namespace nereus::monitor {
namespace {

Count count_of(const Cell &cell) {
    Count count{get(cell.messages), get(cell.bytes), {}};
    std::transform(cell.histogram.begin(), cell.histogram.end(), count.histogram.begin(), get);
    return count;
}

template <class Operation> void combine(Count &into, const Count &other, Operation operation) {
    into.messages = operation(into.messages, other.messages);
    into.bytes = operation(into.bytes, other.bytes);
    std::transform(into.histogram.begin(), into.histogram.end(), other.histogram.begin(), into.histogram.begin(),
                   operation);
}

}

Count &Count::operator+=(const Count &other) {
    combine(*this, other, std::plus<std::uint64_t>());
    return *this;
}

Count &Count::operator-=(const Count &other) {
    combine(*this, other, std::minus<std::uint64_t>());
    return *this;
}

Totals totals(const Arena &arena) {
    Totals sums;
    arena.each<Cell>([&](const Cell &cell) { sums[cell.address()] += count_of(cell); });
    return sums;
}

Totals since(Totals now, const Totals &before) {
    for (const auto &[address, count] : before) {
        const auto found = now.find(address);
        if (found == now.end()) continue;
        found->second -= count;
        if (found->second == Count{}) now.erase(found);
    }
    return now;
}

std::map<std::uint32_t, std::map<Address, InWindow>> windows(const Arena &arena) {
    std::map<std::uint32_t, std::map<Address, InWindow>> by_window;
    const auto note = [&](std::uint32_t window, const Address &address, std::uint64_t messages, std::uint64_t bytes) {
        InWindow &counted = by_window[window][address];
        counted.messages += messages;
        counted.bytes += bytes;
    };
    arena.each<WindowEntries>([&](const WindowEntries &piece) {
        const std::uint32_t number =
            std::min<std::uint32_t>(piece.number.load(std::memory_order_acquire), WindowEntries::most);
        for (std::uint32_t i = 0; i < number; ++i)
            if (const Cell *cell = arena.cell_at(piece.entries[i].cell))
                note(piece.entries[i].window, cell->address(), piece.entries[i].messages, piece.entries[i].bytes);
    });
    arena.each<Cell>([&](const Cell &cell) {
        const WindowEntry latest = latest_of(cell);
        if (latest.messages > 0) note(latest.window, cell.address(), latest.messages, latest.bytes);
    });
    return by_window;
}

}
