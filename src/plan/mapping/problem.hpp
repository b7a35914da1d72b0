// SPDX-License-Identifier: BSD-3-Clause
// What is to be placed and where it may go; what a mapping costs; the mappings that launchers make.
#pragma once

#include "base/error.hpp"
#include "plan/mapping/traffic.hpp"
#include "plan/mapping/tree.hpp"

#include <cstdint>
#include <vector>

namespace nereus::plan::mapping {

inline constexpr int nowhere = -1;

/// The slot of each rank.
using Mapping = std::vector<int>;

struct Problem {
    Tree tree;
    Traffic traffic;
    std::vector<bool> in_use; ///< of each slot: others have it
    std::vector<int> fixed;   ///< the slot of each rank that must be there; nowhere: it may go anywhere

    int ranks() const { return traffic.ranks(); }
    bool free(int slot) const { return !in_use[static_cast<std::size_t>(slot)]; }
    int free_slots() const;
};

/// NEREUS_ERR_RANGE: there are fewer free slots than ranks. NEREUS_ERR_ARGUMENT: a rank is fixed to a slot that is not
/// there, is in use or is another rank's.
Done check(const Problem &problem);

/// NEREUS_ERR_ARGUMENT: it has another number of ranks, or puts one where it may not be.
Done check(const Problem &problem, const Mapping &mapping);

/// The sum over all pairs of ranks of their bytes, in both directions, times the distance of their slots.
///
/// With a cost of 1 for each link these are the hop-bytes of Hoefler, Jeannot and Mercier, An overview of topology
/// mapping algorithms and techniques in high-performance computing, 2014, section 3.
double cost(const Tree &tree, const Traffic &traffic, const Mapping &mapping);

/// No mapping costs less: that of ranks each of which has the peers that it has most with in the nearest slots, as many
/// as the greatest nodes have.
double least_cost(const Tree &tree, const Traffic &traffic);

/// Ranks in order fill the free slots in order. Here and below, fixed ranks are where they must be.
Mapping packed(const Problem &problem);

/// Ranks in order go to the nodes of a level in turns, to the first slot of each that is free.
Mapping round_robin(const Problem &problem, int level);

/// The same seed gives the same mapping.
Mapping random(const Problem &problem, std::uint64_t seed);

}
