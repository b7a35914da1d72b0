// SPDX-License-Identifier: BSD-3-Clause
// What sources and newcomers must do alike in one resize.
#pragma once

#include "job/crossing.hpp"

#include <cstdint>
#include <vector>

namespace nereus::job {

/// @param inter  comm is an inter-communicator between sources and drains
inline transfer::Lane lane_of(MPI_Comm comm, const plan::Sizes &sizes, bool inter) {
    return {comm, sizes.anew && !inter ? sizes.sources : 0};
}

/// The sums of a vote after a transfer: constant and variable bytes sent, then one balance for each array when
/// checksums are wanted. All zero where nothing was moved.
inline std::vector<std::uint64_t> sums_of(const Crossing &crossing, bool moved, bool verify, const Registry &registry) {
    std::vector<std::uint64_t> sums(2 + (verify ? registry.entries().size() : 0), 0);
    if (!moved) return sums;
    sums[0] = static_cast<std::uint64_t>(crossing.bytes_sent(true));
    sums[1] = static_cast<std::uint64_t>(crossing.bytes_sent(false));
    if (!verify) return sums;
    const auto balance = crossing.balance();
    std::copy(balance.begin(), balance.end(), sums.begin() + 2);
    return sums;
}

}
