// SPDX-License-Identifier: BSD-3-Clause
// Blocks that are dealt out in turn: a cyclic array, or one direction of a matrix over a grid of ranks.
#pragma once

#include "plan/regular_blocks.hpp"

#include <cstdint>
#include <vector>

namespace nereus::plan {

/// Where an element lies.
struct Spot {
    int rank;
    std::int64_t place; ///< in the rank's part
    bool operator==(const Spot &) const = default;
};

struct BlockCyclic {
    std::int64_t elements;
    std::int64_t block;
    int ranks;

    std::int64_t count_of(int rank) const;
    Spot spot_of(std::int64_t element) const;
    RegularBlocks blocks_of(int rank) const;
};

/// What one rank of a deal shares with rank `peer` of another deal.
struct Shared {
    int peer;
    std::vector<Strip> strips; ///< blocks that come again after a period of both deals are told once
};

/// The drains that share elements with source `source`: O(their number) where blocks are the same, else for each
/// drain what shared_elements() takes.
std::vector<Shared> drains_of(const BlockCyclic &before, const BlockCyclic &after, int source);
/// The sources that share elements with drain `drain`; strips are the same as from the source's side.
std::vector<Shared> sources_of(const BlockCyclic &before, const BlockCyclic &after, int drain);

}
