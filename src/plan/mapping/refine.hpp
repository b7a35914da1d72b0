// SPDX-License-Identifier: BSD-3-Clause
// Makes a mapping cheaper by swaps: of whole subtrees from the top down, then of single slots.
//
// Every swap lowers the cost, so that a refined mapping is never dearer than what it began with; it ends where no swap
// that it looks at does, or where its steps are taken.
#pragma once

#include "plan/mapping/problem.hpp"
#include "plan/mapping/steps.hpp"

namespace nereus::plan::mapping {

inline constexpr std::int64_t steps_of_refining = 500'000'000; ///< about a second

/// Swaps what is in slots of the same kind, until none of the swaps it looks at is worth it.
///
/// It looks at all pairs of slots where they are few; else at those that bring a rank beside one of its peers.
/// @param kinds    of each slot; below 0: what is in it stays
/// @param mapping  changed in place
void swap_slots(const Tree &tree, const Traffic &traffic, const std::vector<int> &kinds, Mapping &mapping,
                Steps &steps);

/// The mapping with swaps of subtrees of the same shape, and of slots; fixed ranks and slots in use stay as they are.
///
/// It ends when the steps are taken. Beyond them it ends what it is at, the look at the slots of a node, a step or two
/// for each of them and each peer.
Mapping refined(const Problem &problem, Mapping mapping, Steps &steps);
Mapping refined(const Problem &problem, Mapping mapping, std::int64_t most_steps = steps_of_refining);

}
