// SPDX-License-Identifier: BSD-3-Clause
#include "plan/move.hpp"

#include <deque>

namespace nereus::plan {
namespace {

/// The ranks of `cut` whose blocks meet `range`, with what they share.
std::vector<Piece> neighbours(const Cut &cut, Range range) {
    std::vector<Piece> pieces;
    if (range.empty()) return pieces;
    for (int rank = cut.rank_of(range.first); rank <= cut.rank_of(range.end - 1); ++rank)
        pieces.push_back({rank, overlap(range, cut.range_of(rank))});
    return pieces;
}

/// Takes the piece of `peer` out of `pieces`.
Range extract(std::vector<Piece> &pieces, std::optional<int> peer) {
    const auto found = std::find_if(pieces.begin(), pieces.end(), [&](const Piece &p) { return p.peer == peer; });
    if (found == pieces.end()) return {};
    const Range elements = found->elements;
    pieces.erase(found);
    return elements;
}

Move move_of_blocks(std::int64_t elements, const Sizes &sizes, const Place &place) {
    const Cut before{Layout::block, elements, sizes.sources};
    const Cut after{Layout::block, elements, sizes.drains};
    Move move;
    if (place.source) move.sends = neighbours(after, before.range_of(*place.source));
    if (place.drain) move.receives = neighbours(before, after.range_of(*place.drain));
    if (place.source && place.drain) {
        move.stays = extract(move.sends, place.drain);
        extract(move.receives, place.source);
        move.unchanged = before.range_of(*place.source) == after.range_of(*place.drain);
    }
    return move;
}

/// A drain that has no copy gets it from source (drain mod sources), so that no source sends to all.
Move move_of_copies(std::int64_t elements, const Sizes &sizes, const Place &place) {
    Move move;
    move.unchanged = place.source && place.drain;
    if (move.unchanged) move.stays = {0, elements};
    if (elements == 0) return move;
    if (place.drain && !place.source) move.receives.push_back({*place.drain % sizes.sources, {0, elements}});
    if (place.source)
        for (int drain = *place.source; drain < sizes.drains; drain += sizes.sources)
            if (!sizes.source_at(drain)) move.sends.push_back({drain, {0, elements}});
    return move;
}

/// Heaviest set of pairs (source, drain) in which each number stands once. Only neighbours in the two cuts overlap,
/// and the overlaps in order of elements go up in both numbers, so that pairs need not cross: a walk along them.
std::int64_t most_kept(std::int64_t elements, const Sizes &sizes) {
    const Cut before{Layout::block, elements, sizes.sources};
    const Cut after{Layout::block, elements, sizes.drains};
    struct Step {
        int source, drain;
        std::int64_t best;
    };
    std::deque<Step> near; // steps that share a number with a pair to come
    std::int64_t best = 0, without = 0;
    for (std::int64_t element = 0; element < elements;) {
        const int source = before.rank_of(element), drain = after.rank_of(element);
        const Range both = overlap(before.range_of(source), after.range_of(drain));
        for (; !near.empty() && near.front().source < source && near.front().drain < drain; near.pop_front())
            without = near.front().best;
        best = std::max(best, without + both.count());
        near.push_back({source, drain, best});
        element = both.end;
    }
    return best;
}

}

Move move_of(Layout layout, std::int64_t elements, const Sizes &sizes, const Place &place) {
    return layout == Layout::block ? move_of_blocks(elements, sizes, place) : move_of_copies(elements, sizes, place);
}

std::int64_t least_moved(Layout layout, std::int64_t elements, const Sizes &sizes) {
    if (layout == Layout::block) return sizes.anew ? elements : elements - most_kept(elements, sizes);
    return sizes.newcomers() * elements;
}

}
