// SPDX-License-Identifier: BSD-3-Clause
// What sources and newcomers must do alike in one resize.
#pragma once

#include "job/data/array_redistribution.hpp"

#include <cstdint>
#include <vector>

namespace nereus::job {

/// @param inter  comm is an inter-communicator between sources and drains
inline transfer::Lane lane_of(MPI_Comm comm, const plan::Sizes &sizes, bool inter) {
    transfer::Lane lane{comm, std::vector<int>(static_cast<std::size_t>(sizes.drains))};
    for (int drain = 0; drain < sizes.drains; ++drain)
        lane.drain_ranks[static_cast<std::size_t>(drain)] = sizes.source_at(drain).value_or(0);
    int rank = inter ? 0 : sizes.sources;
    for (const int drain : sizes.drains_of_newcomers()) lane.drain_ranks[static_cast<std::size_t>(drain)] = rank++;
    return lane;
}

/// The sums of the last vote: constant and variable bytes sent, bytes handed over in shared memory, and of the bytes
/// sent those of shared arrays, which had to go to another host. All zero where nothing was moved.
inline std::vector<std::uint64_t> sums_of(const ArrayRedistribution &arrays, bool moved) {
    if (!moved) return {0, 0, 0, 0};
    std::vector<std::uint64_t> sums;
    for (const std::int64_t bytes :
         {arrays.bytes_sent(true), arrays.bytes_sent(false), arrays.bytes_shared(), arrays.bytes_sent_between_hosts()})
        sums.push_back(static_cast<std::uint64_t>(bytes));
    return sums;
}

}
