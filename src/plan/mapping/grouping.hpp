// SPDX-License-Identifier: BSD-3-Clause
// Groups of equal size that keep most of their traffic to themselves: the step that TreeMatch makes on each level.
//
// Source: Jeannot, Mercier, Tessier, Process Placement in Multicore Clusters, IEEE TPDS 25(4), 2014, section 4: where
// the possible groups are few, all are listed, each weighed by what its ranks have with others, and disjoint ones are
// taken by several orders; where they are many, groups are grown one after the other.
#pragma once

#include "plan/mapping/steps.hpp"
#include "plan/mapping/traffic.hpp"

#include <vector>

namespace nereus::plan::mapping {

inline constexpr int most_listed = 30000; ///< groups that are listed

/// The group of each rank.
/// @param size  ranks of a group; divides their number
/// @param steps that swaps may take
std::vector<int> grouped(const Traffic &traffic, int size, Steps &steps);

/// What goes from group to group.
double between_groups(const Traffic &traffic, const std::vector<int> &group_of);

}
