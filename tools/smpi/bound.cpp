// SPDX-License-Identifier: BSD-3-Clause
#include "bound.hpp"

#include "plan/move.hpp"

#include <algorithm>

namespace smpi {
namespace {

namespace plan = nereus::plan;

struct Through {
    std::int64_t out = 0, in = 0, within = 0;
};

}

Load load_of(std::int64_t bytes, const plan::Sizes &sizes, const std::vector<int> &host_of_rank) {
    const auto host_of = [&](int rank) {
        return static_cast<std::size_t>(host_of_rank[static_cast<std::size_t>(rank)]);
    };
    std::vector<Through> hosts(1 + static_cast<std::size_t>(std::ranges::max(host_of_rank)));
    Load load;
    for (int source = 0; source < sizes.sources; ++source) {
        const plan::Place place{source, sizes.drain_of(source)};
        for (const plan::Piece &piece : plan::move_of(plan::Layout::block, bytes, sizes, place).sends) {
            Through &from = hosts[host_of(source)], &to = hosts[host_of(piece.peer)];
            (&from == &to ? from.within : from.out) += piece.count();
            if (&from != &to) to.in += piece.count();
            load.moved += piece.count();
            load.longest = std::max(load.longest, piece.count());
        }
    }
    for (const Through &host : hosts) {
        load.link = std::max({load.link, host.out, host.in});
        load.memory = std::max(load.memory, host.within);
    }
    return load;
}

}
