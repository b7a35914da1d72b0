// SPDX-License-Identifier: BSD-3-Clause
#include "planned_failures.hpp"

#include <algorithm>

namespace emulator {

PlannedFailures::PlannedFailures(std::span<const FailureSpec> all, std::size_t done)
    : to_come_(all.subspan(std::min(done, all.size()))) {}

const FailureSpec *PlannedFailures::at(std::int64_t iteration) const {
    const auto found = std::ranges::find(to_come_, iteration, &FailureSpec::iteration);
    return found == to_come_.end() ? nullptr : &*found;
}

Dying dying(const FailureSpec &failure, std::span<const std::string> hosts) {
    const auto ranks = static_cast<std::int64_t>(hosts.size());
    Dying found;
    found.rank = static_cast<int>(failure.rank < 0 || failure.rank >= ranks ? ranks - 1 : failure.rank);
    const std::string &host = hosts[static_cast<std::size_t>(found.rank)];
    for (int rank = 0; rank < static_cast<int>(ranks); ++rank)
        if (rank == found.rank || (failure.whole_host && hosts[static_cast<std::size_t>(rank)] == host))
            found.ranks.push_back(rank);
    return found;
}

} // namespace emulator
