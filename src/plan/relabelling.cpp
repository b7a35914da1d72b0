// SPDX-License-Identifier: BSD-3-Clause
#include "plan/relabelling.hpp"

#include "plan/matching.hpp"
#include "plan/move.hpp"

#include <algorithm>

namespace nereus::plan {
namespace {

constexpr int nobody = -1;

/// What source number `source` has of each part of `after`, ascending.
std::vector<Overlap> overlaps_of(const Distribution &before, int source, const Distribution &after) {
    std::vector<Overlap> overlaps;
    const auto add = [&](int drain, std::int64_t count) {
        if (count > 0) overlaps.push_back({source, drain, count});
    };
    const bool has_all = before.layout() == Layout::replicated, wants_all = after.layout() == Layout::replicated;
    if (has_all || wants_all) {
        for (int drain = 0; drain < after.ranks(); ++drain)
            add(drain, has_all ? after.count_of(drain) : before.count_of(source));
        return overlaps;
    }
    const Sizes all_are_others{before.ranks(), after.ranks(), true};
    for (const Piece &piece : move_of(before, after, all_are_others, {source, std::nullopt}).sends)
        add(piece.peer, piece.count());
    return overlaps;
}

/// Of processes on both sides.
std::vector<Overlap> overlaps_of(const Placed &before, const Placed &after) {
    std::vector<int> sorted = after.ranks;
    std::ranges::sort(sorted);
    std::vector<Overlap> all;
    for (int source = 0; source < before.distribution.ranks(); ++source) {
        if (!std::ranges::binary_search(sorted, before.ranks[static_cast<std::size_t>(source)])) continue;
        const auto of_source = overlaps_of(before.distribution, source, after.distribution);
        all.insert(all.end(), of_source.begin(), of_source.end());
    }
    return all;
}

std::int64_t stays_as_it_is(const std::vector<Overlap> &overlaps, const Placed &before, const Placed &after) {
    std::int64_t stays = 0;
    for (const Overlap &pair : overlaps)
        if (before.ranks[static_cast<std::size_t>(pair.source)] == after.ranks[static_cast<std::size_t>(pair.drain)])
            stays += pair.bytes;
    return stays;
}

/// Those that are left take what is left, in order.
std::vector<int> ranks_by(const Matching &matching, const Placed &before, const Placed &after) {
    std::vector<int> ranks(after.ranks.size(), nobody), matched;
    for (const Overlap &pair : matching.pairs) {
        const int rank = before.ranks[static_cast<std::size_t>(pair.source)];
        ranks[static_cast<std::size_t>(pair.drain)] = rank;
        matched.push_back(rank);
    }
    std::ranges::sort(matched);
    auto next = after.ranks.begin();
    for (int &rank : ranks) {
        if (rank != nobody) continue;
        while (std::ranges::binary_search(matched, *next)) ++next;
        rank = *next++;
    }
    return ranks;
}

}

Relabelling relabelled(const Placed &before, const Placed &after) {
    const std::vector<Overlap> overlaps = overlaps_of(before, after);
    const Relabelling as_it_is{after.ranks, stays_as_it_is(overlaps, before, after)};
    const Matching matching = heaviest_matching(overlaps);
    if (matching.bytes() <= as_it_is.stays) return as_it_is;
    return {ranks_by(matching, before, after), matching.bytes()};
}

}
