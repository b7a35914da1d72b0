// SPDX-License-Identifier: BSD-3-Clause
// What a redistribution has to carry at least through each host, by the plan; no MPI.
#pragma once

#include "plan/sizes.hpp"

#include <cstdint>
#include <vector>

namespace smpi {

struct Load {
    std::int64_t link = 0;    ///< most bytes through one host's link in one direction
    std::int64_t memory = 0;  ///< most bytes between ranks of one host
    std::int64_t moved = 0;   ///< bytes of all messages
    std::int64_t longest = 0; ///< bytes between two ranks at most
};

/// Of `bytes` in the layout `block`.
Load load_of(std::int64_t bytes, const nereus::plan::Sizes &sizes, const std::vector<int> &host_of_rank);

}
