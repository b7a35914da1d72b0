// SPDX-License-Identifier: BSD-3-Clause
#include "plan/release.hpp"

#include <set>

namespace nereus::plan {
namespace {

std::set<World> living(const std::vector<World> &world_of_rank, const Sizes &sizes) {
    std::set<World> worlds;
    for (std::size_t rank = 0; rank < world_of_rank.size(); ++rank)
        if (sizes.drain_of(static_cast<int>(rank))) worlds.insert(world_of_rank[rank]);
    return worlds;
}

}

std::vector<Fate> fates(const std::vector<World> &world_of_rank, const Sizes &sizes) {
    const std::set<World> goes_on = living(world_of_rank, sizes);
    std::vector<Fate> found(world_of_rank.size(), Fate::stays);
    for (std::size_t rank = 0; rank < found.size(); ++rank)
        if (!sizes.drain_of(static_cast<int>(rank)))
            found[rank] = goes_on.contains(world_of_rank[rank]) ? Fate::parks : Fate::exits;
    return found;
}

std::vector<bool> may_end(const std::vector<World> &world_of_parked, const std::vector<World> &world_of_rank,
                          const Sizes &sizes) {
    const std::set<World> goes_on = living(world_of_rank, sizes);
    std::vector<bool> ends;
    for (const World world : world_of_parked) ends.push_back(!goes_on.contains(world));
    return ends;
}

}
