// SPDX-License-Identifier: BSD-3-Clause
// Where elements of an array lie that follow one another in global order: the way between parts and files.
#pragma once

#include "plan/distribution.hpp"

#include <cstdint>
#include <vector>

namespace nereus::plan {

/// Elements that lie in a row in the array, and in the part of one rank.
struct GlobalRun {
    std::int64_t first; ///< in the array
    std::int64_t place; ///< in the part
    std::int64_t count;
    bool operator==(const GlobalRun &) const = default;
};

/// What of `range`, which lies within the array, is in the part of `rank`, ascending. Takes time for these runs alone;
/// of a matrix for the lines of the range too.
std::vector<GlobalRun> global_runs(const Distribution &distribution, int rank, Range range);

}
