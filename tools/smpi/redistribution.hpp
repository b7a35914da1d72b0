// SPDX-License-Identifier: BSD-3-Clause
// A redistribution by src/transfer, from the first rank that begins to the last that ends. Ranks go on as in Merge.
#pragma once

#include "base/error.hpp"
#include "bound.hpp"
#include "transfer/transfer.hpp"
#include "world.hpp"

namespace smpi {

struct Redistribution {
    Cluster cluster;
    std::vector<int> host_of_rank; ///< of max(sources, drains) ranks
    int sources;
    int drains;
    std::int64_t bytes;
    nereus::transfer::Method method;
    bool checks; ///< carries real bytes and compares them
};

struct Redistributed {
    double seconds;
    Load load;
    double bound;       ///< seconds that the fullest link, or memory, is busy
    double model_bound; ///< the same with what SMPI leaves of the bandwidth
};

nereus::Result<Redistributed> redistribute(const Redistribution &);

}
