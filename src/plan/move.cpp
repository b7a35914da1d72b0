// SPDX-License-Identifier: BSD-3-Clause
#include "plan/move.hpp"

#include "plan/matrix.hpp"
#include "plan/other_layout.hpp"

#include <array>

namespace nereus::plan {
namespace {

/// Elements that lie in a row on both sides.
Strip one_run(Range elements, Range source, Range drain) {
    return {{{elements.first - source.first, elements.first - drain.first, elements.count()}}};
}

/// What a drain wants and does not hold as a source already: at most what lies before and what lies behind.
std::array<Range, 2> missing(const Distribution &before, const Sizes &sizes, Range wanted, int drain) {
    const auto source = sizes.source_at(drain);
    const Range kept = source ? overlap(before.range_of(*source), wanted) : Range{};
    if (kept.empty()) return {wanted, Range{}};
    return {Range{wanted.first, kept.first}, Range{kept.end, wanted.end}};
}

std::vector<Piece> sends_of_ranges(const Distribution &before, const Distribution &after, const Sizes &sizes,
                                   const Place &place) {
    std::vector<Piece> pieces;
    const Range has = before.range_of(*place.source), owns = before.owned_by(*place.source);
    for (const int drain : after.holders_of(owns)) {
        const Range wanted = after.range_of(drain);
        if (drain == place.drain) continue;
        for (const Range gap : missing(before, sizes, wanted, drain))
            if (const Range elements = overlap(gap, owns); !elements.empty())
                pieces.push_back({drain, {one_run(elements, has, wanted)}});
    }
    return pieces;
}

std::vector<Piece> receives_of_ranges(const Distribution &before, const Distribution &after, const Sizes &sizes,
                                      int drain) {
    std::vector<Piece> pieces;
    const Range wanted = after.range_of(drain);
    for (const Range gap : missing(before, sizes, wanted, drain))
        for (const int source : before.owners_of(gap))
            pieces.push_back(
                {source, {one_run(overlap(gap, before.owned_by(source)), before.range_of(source), wanted)}});
    return pieces;
}

/// The halo of a part is held by others too: its owner alone sends it, and who has it already keeps it.
Move move_of_ranges(const Distribution &before, const Distribution &after, const Sizes &sizes, const Place &place) {
    Move move;
    if (place.source) move.sends = sends_of_ranges(before, after, sizes, place);
    if (place.drain) move.receives = receives_of_ranges(before, after, sizes, *place.drain);
    if (!place.source || !place.drain) return move;
    const Range has = before.range_of(*place.source), wanted = after.range_of(*place.drain);
    if (const Range both = overlap(has, wanted); !both.empty()) move.stays = {one_run(both, has, wanted)};
    return move;
}

/// A drain that has no copy gets it from source (drain mod sources), so that no source sends to all.
Move move_of_copies(std::int64_t elements, const Sizes &sizes, const Place &place) {
    Move move;
    if (elements == 0) return move;
    const Strip all{{{0, 0, elements}}};
    if (place.source && place.drain) move.stays = {all};
    if (place.drain && !place.source) move.receives.push_back({*place.drain % sizes.sources, {all}});
    if (place.source)
        for (int drain = *place.source; drain < sizes.drains; drain += sizes.sources)
            if (!sizes.source_at(drain)) move.sends.push_back({drain, {all}});
    return move;
}

/// Takes the piece of `peer` out of `pieces`.
std::vector<Strip> extract(std::vector<Piece> &pieces, std::optional<int> peer) {
    const auto found = std::ranges::find_if(pieces, [&](const Piece &piece) { return piece.peer == peer; });
    if (found == pieces.end()) return {};
    std::vector<Strip> strips = std::move(found->strips);
    pieces.erase(found);
    return strips;
}

std::vector<Piece> pieces_of(std::vector<Shared> all) {
    std::vector<Piece> pieces;
    for (Shared &shared : all) pieces.push_back({shared.peer, std::move(shared.strips)});
    return pieces;
}

Move move_of_blocks_in_turn(const Distribution &before, const Distribution &after, const Place &place) {
    const bool matrix = before.layout() == Layout::grid;
    Move move;
    if (place.source)
        move.sends = pieces_of(matrix ? drains_of_matrix(before, after, *place.source)
                                      : drains_of(before.deal(), after.deal(), *place.source));
    if (place.drain)
        move.receives = pieces_of(matrix ? sources_of_matrix(before, after, *place.drain)
                                         : sources_of(before.deal(), after.deal(), *place.drain));
    if (place.source && place.drain) {
        move.stays = extract(move.sends, place.drain);
        extract(move.receives, place.source);
    }
    return move;
}

/// Of all that have a replicated array, the one that gives it to `drain`: itself, if it has it.
int giver_of_copy(const Sizes &sizes, int drain) { return sizes.source_at(drain).value_or(drain % sizes.sources); }

/// Each pair is looked at.
Move move_to_other_layout(const Distribution &before, const Distribution &after, const Sizes &sizes,
                          const Place &place) {
    const bool copies = before.layout() == Layout::replicated;
    const auto shared = [&](int source, int drain) -> std::vector<Strip> {
        if (copies && giver_of_copy(sizes, drain) != source) return {};
        return shared_elements(before, source, after, drain);
    };
    Move move;
    const auto add = [](std::vector<Piece> &pieces, int peer, std::vector<Strip> strips) {
        if (!strips.empty()) pieces.push_back({peer, std::move(strips)});
    };
    if (place.source)
        for (int drain = 0; drain < sizes.drains; ++drain)
            if (drain != place.drain) add(move.sends, drain, shared(*place.source, drain));
    if (place.drain)
        for (int source = 0; source < sizes.sources; ++source)
            if (source != place.source) add(move.receives, source, shared(source, *place.drain));
    if (place.source && place.drain) move.stays = shared(*place.source, *place.drain);
    return move;
}

Move parts_of_move(const Distribution &before, const Distribution &after, const Sizes &sizes, const Place &place) {
    const Layout layout = before.layout();
    const bool replicated = layout == Layout::replicated, same = layout == after.layout();
    if (replicated && same) return move_of_copies(before.elements(), sizes, place);
    const bool ranges =
        before.contiguous() && after.contiguous() && !replicated && after.layout() != Layout::replicated;
    if (ranges) return move_of_ranges(before, after, sizes, place);
    return same ? move_of_blocks_in_turn(before, after, place) : move_to_other_layout(before, after, sizes, place);
}

}

Move move_of(const Distribution &before, const Distribution &after, const Sizes &sizes, const Place &place) {
    Move move = parts_of_move(before, after, sizes, place);
    if (!place.source || !place.drain) return move;
    // What stays ascends in both parts: where it fills both, each element is at its old place.
    const std::int64_t stays = count_of(move.stays);
    move.unchanged = stays == before.count_of(*place.source) && stays == after.count_of(*place.drain);
    return move;
}

}
