// SPDX-License-Identifier: BSD-3-Clause
// What one process moved, by single peers: messages to a whole communicator are told for each process in it.
#pragma once

#include "record/totals.hpp"

#include <compare>
#include <map>

namespace nereus::monitor {

struct Pair {
    Kind kind = Kind::point_to_point;
    std::uint32_t generation = 0;
    std::uint8_t phase = 0;
    std::uint64_t peer = 0; ///< world << 32 | rank in it

    auto operator<=>(const Pair &) const = default;
};

/// Files have no peers and are left out. Who belongs to a communicator is read from the lines of the arena.
std::map<Pair, Count> pairs(const Totals &totals, const Arena &arena);

}
