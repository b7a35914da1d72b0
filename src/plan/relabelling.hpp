// SPDX-License-Identifier: BSD-3-Clause
// Which process gets which part of a new distribution, so that most elements stay where they are.
#pragma once

#include "plan/distribution.hpp"

#include <cstdint>
#include <vector>

namespace nereus::plan {

/// A distribution over processes that have ranks: part i is that of ranks[i].
struct Placed {
    Distribution distribution;
    std::vector<int> ranks;
};

struct Relabelling {
    std::vector<int> ranks; ///< of each part of the new distribution
    std::int64_t stays;     ///< elements that no message carries
};

/// The order of the ranks of `after` with which most elements stay: a heaviest matching of old and new parts (Kabić et
/// al., COSTA, 2021). Where none keeps more, the order that they have.
///
/// O(sources x drains) and what heaviest_matching() takes, within its steps.
/// @param before  its processes times its elements are below 2^61
Relabelling relabelled(const Placed &before, const Placed &after);

}
