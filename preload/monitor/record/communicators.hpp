// SPDX-License-Identifier: BSD-3-Clause
// The communicators that an arena tells of, by their number in this process.
#pragma once

#include "record/arena.hpp"

#include <map>
#include <string>
#include <vector>

namespace nereus::monitor {

/// Whom a process of a communicator can send to.
struct Sides {
    std::size_t own_rank = 0;
    std::size_t size = 1; ///< of the other side, where there are two
    bool has_two_sides = false;

    /// Whether a message that is sent to a whole communicator goes to this rank of it.
    bool is_reached(Reach reach, std::size_t rank) const {
        if (reach == Reach::nobody || reach == Reach::peer) return false;
        if (has_two_sides) return true;
        return reach == Reach::higher ? rank > own_rank : rank != own_rank;
    }
    /// How many processes a message goes to.
    std::size_t number_reached(Reach reach) const {
        if (reach == Reach::nobody || reach == Reach::peer) return reach == Reach::peer ? 1 : 0;
        if (has_two_sides) return size;
        return reach == Reach::higher ? size - 1 - own_rank : size - 1;
    }
};

struct Communicator {
    std::string name;
    std::vector<std::uint64_t> members; ///< world << 32 | rank in it; of the other side, where there are two
    Sides sides;
};

std::map<std::uint32_t, Communicator> communicators(const Arena &arena);

}
