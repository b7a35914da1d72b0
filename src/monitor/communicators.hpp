// SPDX-License-Identifier: BSD-3-Clause
// The communicators that an arena tells of, by their number in this process.
#pragma once

#include "monitor/arena.hpp"

#include <map>
#include <string>
#include <vector>

namespace nereus::monitor {

struct Communicator {
    std::string name;
    std::vector<std::uint64_t> members; ///< world << 32 | rank in it; of the other side, where there are two
    std::size_t own_rank = 0;
    bool has_two_sides = false;

    /// Whether a message that is sent to `reach` goes to the member with this rank.
    bool is_reached(Reach reach, std::size_t rank) const {
        if (reach == Reach::nobody || reach == Reach::peer) return false;
        if (has_two_sides) return true;
        return reach == Reach::higher ? rank > own_rank : rank != own_rank;
    }
};

std::map<std::uint32_t, Communicator> communicators(const Arena &arena);

}
