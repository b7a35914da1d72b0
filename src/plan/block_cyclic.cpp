// SPDX-License-Identifier: BSD-3-Clause
#include "plan/block_cyclic.hpp"

#include <algorithm>
#include <numeric>

namespace nereus::plan {
namespace {

/// Every how many blocks the same two ranks meet again.
std::int64_t period_of(const BlockCyclic &before, const BlockCyclic &after) {
    return std::lcm(std::int64_t{before.ranks}, std::int64_t{after.ranks});
}

/// Blocks of `deal` in the part of `rank`, also a short one.
std::int64_t number_of_blocks(const BlockCyclic &deal, int rank) {
    const std::int64_t blocks = deal.elements / deal.block + (deal.elements % deal.block > 0 ? 1 : 0);
    return blocks <= rank ? 0 : (blocks - 1 - rank) / deal.ranks + 1;
}

/// One more run behind `strips`, which is the same run where it touches the last one on both sides.
void add_run(std::vector<Strip> &strips, const Run &run) {
    if (!strips.empty() && strips.back().repeats == 1) {
        Run &last = strips.back().runs.back();
        if (last.from + last.count == run.from && last.to + last.count == run.to) {
            last.count += run.count;
            return;
        }
    }
    strips.push_back({{run}});
}

/// Block `first` and those that follow it at distances of the period.
std::vector<Strip> strips_from(const BlockCyclic &before, const BlockCyclic &after, std::int64_t first) {
    const std::int64_t period = period_of(before, after), block = before.block;
    const std::int64_t whole = before.elements / block, rest = before.elements % block;
    const auto run_of = [&](std::int64_t number, std::int64_t count) {
        return Run{number / before.ranks * block, number / after.ranks * block, count};
    };
    std::vector<Strip> strips;
    if (first < whole) {
        // One repetition needs no step, and a step of the longest periods and blocks fits in no number.
        const std::int64_t repeats = (whole - 1 - first) / period + 1;
        const bool again = repeats > 1;
        strips.push_back(repeated(run_of(first, block), repeats, again ? period / before.ranks * block : 0,
                                  again ? period / after.ranks * block : 0));
    }
    if (rest > 0 && whole >= first && (whole - first) % period == 0) add_run(strips, run_of(whole, rest));
    return strips;
}

/// The blocks of rank `rank` of `mine` up to the period meet each rank of `other` that they meet at all just once.
template <class StripsFrom>
std::vector<Shared> peers_of(const BlockCyclic &mine, const BlockCyclic &other, int rank, const StripsFrom &strips) {
    std::vector<Shared> all;
    const std::int64_t steps = std::min(period_of(mine, other) / mine.ranks, number_of_blocks(mine, rank));
    for (std::int64_t i = 0; i < steps; ++i) {
        const std::int64_t first = rank + i * mine.ranks;
        all.push_back({static_cast<int>(first % other.ranks), strips(first)});
    }
    return all;
}

/// Blocks of other sizes are looked at one rank after the other.
template <class Pair> std::vector<Shared> peers_with_other_blocks(int peers, const Pair &shared_with) {
    std::vector<Shared> all;
    for (int peer = 0; peer < peers; ++peer)
        if (std::vector<Strip> strips = shared_with(peer); !strips.empty()) all.push_back({peer, std::move(strips)});
    return all;
}

}

std::int64_t BlockCyclic::count_of(int rank) const {
    const std::int64_t whole = elements / block;
    const std::int64_t mine = whole / ranks + (rank < whole % ranks ? 1 : 0);
    return mine * block + (rank == whole % ranks ? elements % block : 0);
}

Spot BlockCyclic::spot_of(std::int64_t element) const {
    const std::int64_t number = element / block;
    return {static_cast<int>(number % ranks), number / ranks * block + element % block};
}

RegularBlocks BlockCyclic::blocks_of(int rank) const {
    if (ranks == 1) return RegularBlocks::one({0, elements});
    if (rank > elements / block) return RegularBlocks::one({elements, elements});
    const std::int64_t first = rank * block;
    if (block > elements / ranks) return RegularBlocks::one({first, first + std::min(block, elements - first)});
    return {first, block, block * ranks, elements};
}

std::vector<Shared> drains_of(const BlockCyclic &before, const BlockCyclic &after, int source) {
    if (before.block == after.block)
        return peers_of(before, after, source, [&](std::int64_t first) { return strips_from(before, after, first); });
    return peers_with_other_blocks(
        after.ranks, [&](int drain) { return shared_elements(before.blocks_of(source), after.blocks_of(drain)); });
}

std::vector<Shared> sources_of(const BlockCyclic &before, const BlockCyclic &after, int drain) {
    if (before.block == after.block)
        return peers_of(after, before, drain, [&](std::int64_t first) { return strips_from(before, after, first); });
    return peers_with_other_blocks(
        before.ranks, [&](int source) { return shared_elements(before.blocks_of(source), after.blocks_of(drain)); });
}

}
