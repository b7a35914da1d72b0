// SPDX-License-Identifier: BSD-3-Clause
// Cuts ranks into parts of given sizes so that little goes between parts: each is grown, one after the other, by the
// rank that has most with it and least with those that are in no part yet (greedy graph growing).
#pragma once

#include "plan/mapping/traffic.hpp"

#include <vector>

namespace nereus::plan::mapping {

inline constexpr int no_part = -1;

/// Where a part begins that nothing is at hand for: with the rank that has least, at a rim, or with the one that has
/// most, so that it comes into the first part.
enum class Seeds { least, most };

/// The part of each rank.
/// @param room  of each part: ranks that it may have; together at least as many as there are. Parts are filled in
///              their order, but those first that have ranks already.
/// @param part_of  where a rank is already, or no_part
std::vector<int> grown(const Traffic &traffic, std::vector<int> room, std::vector<int> part_of,
                       Seeds seeds = Seeds::least);

}
