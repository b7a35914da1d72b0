// SPDX-License-Identifier: BSD-3-Clause
#include "plan/process_fate.hpp"

#include <set>

namespace nereus::plan {
namespace {

std::set<World> living(const std::vector<World> &world_of_source, const Sizes &sizes) {
    const std::vector<bool> going_on = sizes.going_on();
    std::set<World> worlds;
    for (std::size_t source = 0; source < world_of_source.size(); ++source)
        if (going_on[source]) worlds.insert(world_of_source[source]);
    return worlds;
}

}

std::vector<Fate> fates(const std::vector<World> &world_of_source, const Sizes &sizes) {
    const std::set<World> goes_on = living(world_of_source, sizes);
    const std::vector<bool> going_on = sizes.going_on();
    std::vector<Fate> found(world_of_source.size(), Fate::stays);
    for (std::size_t source = 0; source < found.size(); ++source)
        if (!going_on[source]) found[source] = goes_on.contains(world_of_source[source]) ? Fate::parks : Fate::exits;
    return found;
}

std::vector<bool> may_end(const std::vector<World> &world_of_parked, const std::vector<World> &world_of_source,
                          const Sizes &sizes) {
    const std::set<World> goes_on = living(world_of_source, sizes);
    std::vector<bool> ends;
    for (const World world : world_of_parked) ends.push_back(!goes_on.contains(world));
    return ends;
}

}
