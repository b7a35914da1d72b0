// SPDX-License-Identifier: BSD-3-Clause
#include "plan/move.hpp"

#include <deque>

namespace nereus::plan {
namespace {

std::int64_t count_of(const std::vector<Strip> &strips) {
    std::int64_t sum = 0;
    for (const Strip &strip : strips) sum += strip.count();
    return sum;
}

/// Elements that lie in a row on both sides.
Strip one_run(Range elements, Range source, Range drain) {
    return {{{elements.first - source.first, elements.first - drain.first, elements.count()}}};
}

/// The drains whose blocks meet that of a source, with what they share.
std::vector<Piece> drains_of(const Cut &after, Range source) {
    std::vector<Piece> pieces;
    if (source.empty()) return pieces;
    for (int rank = after.rank_of(source.first); rank <= after.rank_of(source.end - 1); ++rank) {
        const Range drain = after.range_of(rank);
        pieces.push_back({rank, {one_run(overlap(source, drain), source, drain)}});
    }
    return pieces;
}

std::vector<Piece> sources_of(const Cut &before, Range drain) {
    std::vector<Piece> pieces;
    if (drain.empty()) return pieces;
    for (int rank = before.rank_of(drain.first); rank <= before.rank_of(drain.end - 1); ++rank) {
        const Range source = before.range_of(rank);
        pieces.push_back({rank, {one_run(overlap(source, drain), source, drain)}});
    }
    return pieces;
}

/// Takes the piece of `peer` out of `pieces`.
std::vector<Strip> extract(std::vector<Piece> &pieces, std::optional<int> peer) {
    const auto found = std::find_if(pieces.begin(), pieces.end(), [&](const Piece &p) { return p.peer == peer; });
    if (found == pieces.end()) return {};
    std::vector<Strip> strips = std::move(found->strips);
    pieces.erase(found);
    return strips;
}

Move move_of_blocks(std::int64_t elements, const Sizes &sizes, const Place &place) {
    const Cut before{Layout::block, elements, sizes.sources};
    const Cut after{Layout::block, elements, sizes.drains};
    Move move;
    if (place.source) move.sends = drains_of(after, before.range_of(*place.source));
    if (place.drain) move.receives = sources_of(before, after.range_of(*place.drain));
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
    if (elements == 0) return move;
    const Strip all{{{0, 0, elements}}};
    if (move.unchanged) move.stays = {all};
    if (place.drain && !place.source) move.receives.push_back({*place.drain % sizes.sources, {all}});
    if (place.source)
        for (int drain = *place.source; drain < sizes.drains; drain += sizes.sources)
            if (!sizes.source_at(drain)) move.sends.push_back({drain, {all}});
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

std::int64_t Strip::count() const {
    std::int64_t sum = 0;
    for (const Run &run : runs) sum += run.count;
    return sum * repeats;
}

std::int64_t Piece::count() const { return count_of(strips); }

std::optional<int> Sizes::source_at(int drain) const {
    if (anew || drain < 0 || drain >= drains) return std::nullopt;
    const int source = kept.empty() ? drain : kept[static_cast<std::size_t>(drain)];
    return source >= 0 && source < sources ? std::optional(source) : std::nullopt;
}

std::optional<int> Sizes::drain_of(int source) const {
    if (anew) return std::nullopt;
    if (kept.empty()) return source < drains ? std::optional(source) : std::nullopt;
    const auto found = std::find(kept.begin(), kept.end(), source);
    return found == kept.end() ? std::nullopt : std::optional(static_cast<int>(found - kept.begin()));
}

int Sizes::drain_of_newcomer(int newcomer) const {
    if (anew) return newcomer;
    if (kept.empty()) return sources + newcomer;
    for (int drain = 0; drain < drains; ++drain)
        if (!source_at(drain) && newcomer-- == 0) return drain;
    return drains;
}

Move move_of(Layout layout, std::int64_t elements, const Sizes &sizes, const Place &place) {
    return layout == Layout::block ? move_of_blocks(elements, sizes, place) : move_of_copies(elements, sizes, place);
}

std::int64_t least_moved(Layout layout, std::int64_t elements, const Sizes &sizes) {
    if (layout == Layout::block) return sizes.anew ? elements : elements - most_kept(elements, sizes);
    return sizes.newcomers() * elements;
}

}
