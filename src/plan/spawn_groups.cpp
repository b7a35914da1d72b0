// SPDX-License-Identifier: BSD-3-Clause
#include "plan/spawn_groups.hpp"

#include "base/strategies.hpp"
#include "plan/distribution.hpp"

#include <algorithm>
#include <set>

namespace nereus::plan {
namespace {

/// Newcomers at which a party begins.
using Starts = std::set<std::size_t>;

Starts starts_by_unit(const std::vector<std::string> &hosts, ReleaseUnit unit) {
    Starts starts;
    for (std::size_t i = 0; i < hosts.size(); ++i)
        if (i == 0 || unit == ReleaseUnit::rank || (unit == ReleaseUnit::host && hosts[i] != hosts[i - 1]))
            starts.insert(i);
    return starts;
}

void add_starts_of_equal_parts(Starts &starts, std::size_t newcomers, int parts) {
    const Distribution cut{Layout::block, static_cast<std::int64_t>(newcomers), parts};
    for (int part = 0; part < parts; ++part) starts.insert(static_cast<std::size_t>(cut.range_of(part).first));
}

Party party_of(const std::vector<std::string> &hosts, std::size_t first, std::size_t end) {
    Party party;
    for (std::size_t i = first; i < end; ++i) {
        if (i == first || hosts[i] != hosts[i - 1]) party.shares.push_back({hosts[i], 0});
        ++party.shares.back().ranks;
    }
    return party;
}

}

int Party::ranks() const {
    int sum = 0;
    for (const Share &share : shares) sum += share.ranks;
    return sum;
}

std::vector<Party> parties_of(const std::vector<std::string> &host_of_newcomer, ReleaseUnit unit, unsigned strategies,
                              int spawners) {
    const bool by_host = (strategies & strategies::multiple) != 0 && unit == ReleaseUnit::job;
    Starts starts = starts_by_unit(host_of_newcomer, by_host ? ReleaseUnit::host : unit);
    const std::size_t wanted = std::min(host_of_newcomer.size(), static_cast<std::size_t>(std::max(spawners, 1)));
    if ((strategies & strategies::parallel) != 0 && starts.size() < wanted)
        add_starts_of_equal_parts(starts, host_of_newcomer.size(), static_cast<int>(wanted));

    std::vector<Party> parties;
    for (auto start = starts.begin(); start != starts.end(); ++start) {
        const auto next = std::next(start);
        parties.push_back(party_of(host_of_newcomer, *start, next == starts.end() ? host_of_newcomer.size() : *next));
    }
    return parties;
}

}
