// SPDX-License-Identifier: BSD-3-Clause
// How the newcomers of a resize are cut into parties: sets that share an MPI_COMM_WORLD, are started by one call, and
// can leave for good by themselves.
#pragma once

#include <string>
#include <vector>

namespace nereus::plan {

/// Consecutive newcomers on one host.
struct Share {
    std::string host; ///< "": wherever the MPI puts them
    int ranks;

    bool operator==(const Share &) const = default;
};

struct Party {
    std::vector<Share> shares; ///< in rank order; neighbours are on different hosts

    int ranks() const;
    bool operator==(const Party &) const = default;
};

enum class ReleaseUnit { job, host, rank }; ///< numbers of enum nereus_release_unit

/// Parties of consecutive newcomers, in rank order; none without newcomers.
///
/// job: one party. host: a new party wherever the host changes; the strategy multiple means at least that. rank: each
/// newcomer is a party. The strategy parallel wants a party for each of the `spawners` (at least 1): are there fewer
/// than min(spawners, newcomers), parties are cut at the borders of that many nearly equal parts too.
/// `strategies` are bits of base/strategies.hpp; `host_of_newcomer` is what place() gave, grouped for the unit host.
std::vector<Party> parties_of(const std::vector<std::string> &host_of_newcomer, ReleaseUnit unit, unsigned strategies,
                              int spawners);

}
