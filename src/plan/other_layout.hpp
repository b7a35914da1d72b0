// SPDX-License-Identifier: BSD-3-Clause
// What a source and a drain share of an array that is distributed by another layout afterwards.
#pragma once

#include "plan/distribution.hpp"
#include "plan/strip.hpp"

#include <vector>

namespace nereus::plan {

/// Ascending in both parts. Layouts are any two without halos, but not both grids (plan/matrix.hpp).
///
/// Between blocks in turn and a matrix whose rows are cut it takes time and a run for each block of the source or
/// drain.
std::vector<Strip> shared_elements(const Distribution &before, int source, const Distribution &after, int drain);

}
