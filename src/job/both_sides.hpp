// SPDX-License-Identifier: BSD-3-Clause
// What sources and newcomers must do alike in one resize.
#pragma once

#include "job/crossing.hpp"

#include <cstdint>
#include <vector>

namespace nereus::job {

/// @param inter  comm is an inter-communicator between sources and drains
inline transfer::Lane lane_of(MPI_Comm comm, const plan::Sizes &sizes, bool inter) {
    transfer::Lane lane{comm, std::vector<int>(static_cast<std::size_t>(sizes.drains))};
    const int first_newcomer = inter ? 0 : sizes.sources;
    for (int drain = 0, newcomers = 0; drain < sizes.drains; ++drain) {
        const auto source = sizes.source_at(drain);
        lane.drain_ranks[static_cast<std::size_t>(drain)] = source ? *source : first_newcomer + newcomers++;
    }
    return lane;
}

/// The sums of a vote after a transfer: constant and variable bytes sent. All zero where nothing was moved.
inline std::vector<std::uint64_t> sums_of(const Crossing &crossing, bool moved) {
    if (!moved) return {0, 0};
    return {static_cast<std::uint64_t>(crossing.bytes_sent(true)),
            static_cast<std::uint64_t>(crossing.bytes_sent(false))};
}

}
