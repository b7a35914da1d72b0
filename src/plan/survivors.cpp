// SPDX-License-Identifier: BSD-3-Clause
#include "plan/survivors.hpp"

#include "plan/overlaps.hpp"
#include "plan/world_selection.hpp"

#include <map>

namespace nereus::plan {
namespace {

constexpr std::int64_t most_steps = 10'000'000;          // some tenths of a second, in which all wait
constexpr std::int64_t most_steps_of_trials = 5'000'000; // of all sets of worlds together

using Flags = std::vector<bool>; ///< of sources
using Kept = std::vector<int>;

bool flag(const Flags &flags, int source) { return !flags.empty() && flags[static_cast<std::size_t>(source)]; }

/// The heaviest matching in which source 0 has drain 0 and the sources that `leave` have none.
Matching match(const std::vector<Overlap> &pairs, const Flags &leave, std::int64_t steps) {
    std::vector<Overlap> open;
    for (const Overlap &pair : pairs)
        if ((pair.source == 0) == (pair.drain == 0) && !flag(leave, pair.source)) open.push_back(pair);
    Matching matching = heaviest_matching(open, steps);
    matching.steps += static_cast<std::int64_t>(pairs.size());
    return matching;
}

Kept usual_numbering(const Sizes &sizes) {
    Kept kept;
    for (int drain = 0; drain < sizes.drains; ++drain) kept.push_back(drain < sizes.sources ? drain : -1);
    return kept;
}

/// As many as can go on do, those whose bytes are of no use too: with their old numbers where these are free.
Kept completed(const Sizes &sizes, const Matching &matching, const Flags &leave) {
    Kept kept(static_cast<std::size_t>(sizes.drains), -1);
    Flags taken(static_cast<std::size_t>(sizes.sources), false);
    const auto take = [&](int source, int drain) {
        kept[static_cast<std::size_t>(drain)] = source;
        taken[static_cast<std::size_t>(source)] = true;
    };
    const auto is_free = [&](int source) { return !flag(taken, source) && !flag(leave, source); };
    take(0, 0);
    for (const Overlap &pair : matching.pairs) take(pair.source, pair.drain);
    for (int drain = 0; drain < std::min(sizes.sources, sizes.drains); ++drain)
        if (kept[static_cast<std::size_t>(drain)] < 0 && is_free(drain)) take(drain, drain);
    for (int drain = 0, source = 0; drain < sizes.drains; ++drain) {
        if (kept[static_cast<std::size_t>(drain)] >= 0) continue;
        while (source < sizes.sources && !is_free(source)) ++source;
        if (source < sizes.sources) take(source, drain);
    }
    return kept;
}

std::int64_t bytes_kept(const std::vector<Overlap> &pairs, const Kept &kept) {
    std::int64_t sum = 0;
    for (const Overlap &pair : pairs)
        if (kept[static_cast<std::size_t>(pair.drain)] == pair.source) sum += pair.bytes;
    return sum;
}

std::int64_t exits(const std::vector<World> &worlds, Sizes sizes, const Kept &kept) {
    sizes.kept = kept;
    return std::ranges::count(fates(worlds, sizes), Fate::exits);
}

/// Sources that share an MPI_COMM_WORLD.
struct Group {
    std::vector<int> sources;
    std::int64_t most = 0; ///< bytes that these sources alone could keep

    double most_of_each() const { return static_cast<double>(most) / static_cast<double>(sources.size()); }
};

/// Those that may leave: without that of source 0. First those that should: whose processes keep little.
struct Groups {
    std::vector<Group> leaving;
    Group founders;
    bool best = true; ///< none could keep more than is said
};

Groups groups_of(const std::vector<World> &worlds, const std::vector<Overlap> &pairs) {
    std::map<World, Group> of_world;
    std::map<World, std::vector<Overlap>> pairs_of;
    for (std::size_t source = 0; source < worlds.size(); ++source)
        of_world[worlds[source]].sources.push_back(static_cast<int>(source));
    for (const Overlap &pair : pairs) pairs_of[worlds[static_cast<std::size_t>(pair.source)]].push_back(pair);
    Groups groups;
    for (auto &[world, group] : of_world) {
        const Matching matching = match(pairs_of[world], {}, most_steps);
        group.most = matching.bytes();
        groups.best = groups.best && matching.best;
        if (world == worlds[0])
            groups.founders = std::move(group);
        else
            groups.leaving.push_back(std::move(group));
    }
    std::ranges::stable_sort(groups.leaving, {}, &Group::most_of_each);
    return groups;
}

LeavingWorlds leaving_worlds(const Groups &groups, const Sizes &sizes) {
    std::vector<LeavingWorld> worlds;
    for (const Group &group : groups.leaving) worlds.push_back({static_cast<int>(group.sources.size()), group.most});
    return {std::move(worlds), sizes.sources - sizes.drains};
}

/// What is tried while sets of worlds leave.
struct Trials {
    const Sizes &sizes;
    const std::vector<Overlap> &pairs;
    const Groups &groups;
    Selection best;
    std::int64_t bytes = -1;
    std::int64_t steps = most_steps_of_trials;

    void add(const LeavingWorlds::Leaves &leaves) {
        Flags leave(static_cast<std::size_t>(sizes.sources), false);
        for (std::size_t i = 0; i < leaves.size(); ++i)
            for (const int source : groups.leaving[i].sources) leave[static_cast<std::size_t>(source)] = leaves[i];
        const Matching matching = match(pairs, leave, steps);
        best.best = best.best && matching.best;
        steps -= matching.steps;
        Kept kept = completed(sizes, matching, leave);
        const std::int64_t kept_now = bytes_kept(pairs, kept);
        if (kept_now <= bytes) return;
        bytes = kept_now;
        best.kept = std::move(kept);
    }
};

/// Bytes that can stay at most when the worlds `leaves` leave, and by the choice of them when others leave.
std::int64_t most_without(const Groups &groups, const LeavingWorlds::Leaves &leaves) {
    std::int64_t sum = groups.founders.most;
    for (std::size_t i = 0; i < leaves.size(); ++i)
        if (!leaves[i]) sum += groups.leaving[i].most;
    return sum;
}

/// The best choice of those that let most processes exit. None of them keeps more than the `unbound` one, nor more than
/// the worlds that go on could keep if they did not want the same drains.
Selection bound_by_worlds(const Sizes &sizes, const Overlaps &overlaps, const std::vector<World> &worlds,
                          const Selection &unbound) {
    if (exits(worlds, sizes, unbound.kept) == sizes.sources - sizes.drains) return unbound;
    const Groups groups = groups_of(worlds, overlaps.pairs);
    const LeavingWorlds leaving = leaving_worlds(groups, sizes);
    if (exits(worlds, sizes, unbound.kept) >= leaving.most()) return unbound;

    const LeavingWorlds::Leaves first = leaving.of_least_use();
    Trials trials{sizes, overlaps.pairs, groups, {{}, unbound.best && groups.best && leaving.searched()}};
    const std::int64_t bound = std::min(bytes_kept(overlaps.pairs, unbound.kept), most_without(groups, first));
    trials.add(first);
    if (leaving.searched() && trials.bytes < bound)
        leaving.each([&](const LeavingWorlds::Leaves &leaves) {
            if (trials.steps > 0) trials.add(leaves);
            return trials.steps > 0 && trials.bytes < bound;
        });
    trials.best.best = trials.best.best && (trials.bytes == bound || trials.steps > 0);
    return trials.best;
}

std::int64_t bytes_of(const LocalSizes &array, const Sizes &sizes) {
    if (array.after.layout() == Layout::replicated) return sizes.newcomers() * array.after.elements() * array.extent;
    return (array.after.elements() + (sizes.drains - 1) * array.after.halo()) * array.extent;
}

/// No matching keeps more than each source with its best drain, or each drain with its best source.
std::int64_t most_kept(const std::vector<Overlap> &pairs) {
    std::map<int, std::int64_t> of_source, of_drain;
    for (const Overlap &pair : pairs) {
        of_source[pair.source] = std::max(of_source[pair.source], pair.bytes);
        of_drain[pair.drain] = std::max(of_drain[pair.drain], pair.bytes);
    }
    const auto sum = [](const std::map<int, std::int64_t> &most) {
        std::int64_t bytes = 0;
        for (const auto &[rank, of_rank] : most) bytes += of_rank;
        return bytes;
    };
    return std::min(sum(of_source), sum(of_drain));
}

}

Selection choose_survivors(int sources, int drains, const std::vector<LocalSizes> &arrays, Survivors policy,
                           const std::vector<World> &world_of_rank) {
    if (policy == Survivors::first) return {{}, true};
    const Sizes sizes{sources, drains, false};
    const Overlaps overlaps = overlaps_of(arrays);
    const Matching matching = match(overlaps.pairs, {}, most_steps);
    Selection choice{completed(sizes, matching, {}), overlaps.all && matching.best};
    const bool bound = policy == Survivors::automatic && drains < sources;
    if (bound) choice = bound_by_worlds(sizes, overlaps, world_of_rank, choice);
    const Kept usual = usual_numbering(sizes);
    if (bytes_kept(overlaps.pairs, usual) >= bytes_kept(overlaps.pairs, choice.kept) &&
        (!bound || exits(world_of_rank, sizes, usual) >= exits(world_of_rank, sizes, choice.kept)))
        choice.kept.clear();
    return choice;
}

std::int64_t least_moved(const std::vector<LocalSizes> &arrays, const Sizes &sizes) {
    std::int64_t replicated = 0, dealt = 0;
    for (const LocalSizes &array : arrays)
        (array.after.layout() == Layout::replicated ? replicated : dealt) += bytes_of(array, sizes);
    if (sizes.anew) return replicated + dealt;
    const Overlaps overlaps = overlaps_of(arrays);
    if (!overlaps.all) return replicated;
    const Matching matching = match(overlaps.pairs, {}, most_steps);
    return replicated + dealt - (matching.best ? matching.bytes() : most_kept(overlaps.pairs));
}

}
