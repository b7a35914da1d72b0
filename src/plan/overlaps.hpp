// SPDX-License-Identifier: BSD-3-Clause
// Which bytes stay if a source goes on as a drain, for all pairs in which something does.
#pragma once

#include "plan/matching.hpp"
#include "plan/survivors.hpp"

#include <vector>

namespace nereus::plan {

struct Overlaps {
    std::vector<Overlap> pairs; ///< in order of sources, then drains
    bool all;                   ///< no array was left out
};

/// Of all arrays that are dealt out; what is replicated stays with every source. An array with more than `most_pairs`
/// pairs is left out.
Overlaps overlaps_of(const std::vector<LocalSizes> &arrays, std::int64_t most_pairs = 10'000'000);

}
