// SPDX-License-Identifier: BSD-3-Clause
// TreeMatch: ranks that have much with each other come under the same node of the machine's tree.
//
// Source: Jeannot, Mercier, Tessier, Process Placement in Multicore Clusters, IEEE TPDS 25(4), 2014, sections 4 and 5,
// which Bosilca et al., Online Dynamic Monitoring of MPI Communications, Euro-Par 2017, section 6 places ranks with.
//
// Where all slots may be taken and all nodes of a level are alike: from the bottom up, ranks are grouped by the number
// of children that a node has, the groups are the ranks of the next level, with the sum of what their ranks have with
// each other. Ranks that send nothing fill up what is missing. Great numbers of children are tried whole and cut into
// their prime factors. Else, with ranks that are fixed or hosts that are not alike: from the top down, ranks are cut
// into a part for each child of a node, of the size of its free slots.
#pragma once

#include "plan/mapping/problem.hpp"
#include "plan/mapping/steps.hpp"

namespace nereus::plan::mapping {

inline constexpr std::int64_t steps_of_grouping = 300'000'000; ///< of swaps between groups: about half a second

/// The problem is one that check() passes. Groups are swapped for as long as steps are left.
Mapping tree_match(const Problem &problem, Steps &steps);
Mapping tree_match(const Problem &problem, std::int64_t most_steps = steps_of_grouping);

}
