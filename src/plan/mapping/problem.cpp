// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mapping/problem.hpp"

#include "base/index.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace nereus::plan::mapping {
namespace {

/// Free slots in order, without those that ranks are fixed to.
std::vector<int> open_slots(const Problem &problem) {
    std::vector<bool> open(problem.in_use.size());
    for (std::size_t slot = 0; slot < open.size(); ++slot) open[slot] = !problem.in_use[slot];
    for (const int slot : problem.fixed)
        if (slot != nowhere) open[at(slot)] = false;
    std::vector<int> slots;
    for (std::size_t slot = 0; slot < open.size(); ++slot)
        if (open[slot]) slots.push_back(static_cast<int>(slot));
    return slots;
}

/// Ranks in order take these slots in order.
Mapping in_order(const Problem &problem, const std::vector<int> &slots) {
    Mapping mapping = problem.fixed;
    auto next = slots.begin();
    for (int &slot : mapping)
        if (slot == nowhere) slot = *next++;
    return mapping;
}

Done check_places(const Problem &problem, const std::vector<int> &slots, bool all) {
    std::vector<int> rank_at(at(problem.tree.slots()), nowhere);
    for (int rank = 0; rank < problem.ranks(); ++rank) {
        const int slot = slots[at(rank)];
        if (slot == nowhere && !all) continue;
        const std::string where = "rank " + std::to_string(rank) + " in slot " + std::to_string(slot) + ": ";
        if (slot < 0 || slot >= problem.tree.slots())
            return failed(NEREUS_ERR_ARGUMENT,
                          where + "slots 0 .. " + std::to_string(problem.tree.slots() - 1) + " are there");
        if (!problem.free(slot)) return failed(NEREUS_ERR_ARGUMENT, where + "the slot is in use");
        if (rank_at[at(slot)] != nowhere)
            return failed(NEREUS_ERR_ARGUMENT, where + "rank " + std::to_string(rank_at[at(slot)]) + " is there");
        rank_at[at(slot)] = rank;
    }
    return {};
}

/// Of each level: how many slots can be below the same node as one slot is.
std::vector<int> most_others(const Tree &tree) {
    std::vector<int> most;
    for (int level = 0; level < tree.levels(); ++level) {
        most.push_back(0);
        for (int node = 0; node < tree.nodes(level); ++node)
            most.back() = std::max(most.back(), tree.slots_of(level, node).count() - 1);
    }
    return most;
}

}

int Problem::free_slots() const { return static_cast<int>(std::ranges::count(in_use, false)); }

Done check(const Problem &problem) {
    if (problem.ranks() > problem.free_slots())
        return failed(NEREUS_ERR_RANGE, std::to_string(problem.ranks()) + " ranks are to be placed, but " +
                                            std::to_string(problem.free_slots()) + " of the " +
                                            std::to_string(problem.tree.slots()) + " slots are free");
    return check_places(problem, problem.fixed, false);
}

Done check(const Problem &problem, const Mapping &mapping) {
    if (mapping.size() != at(problem.ranks()))
        return failed(NEREUS_ERR_ARGUMENT, "a mapping of " + std::to_string(mapping.size()) + " ranks: one of " +
                                               std::to_string(problem.ranks()) + " is allowed");
    for (int rank = 0; rank < problem.ranks(); ++rank)
        if (const int slot = problem.fixed[at(rank)]; slot != nowhere && slot != mapping[at(rank)])
            return failed(NEREUS_ERR_ARGUMENT, "rank " + std::to_string(rank) + " in slot " +
                                                   std::to_string(mapping[at(rank)]) + ": it is fixed to slot " +
                                                   std::to_string(slot));
    return check_places(problem, mapping, true);
}

double cost(const Tree &tree, const Traffic &traffic, const Mapping &mapping) {
    double sum = 0;
    for (int rank = 0; rank < traffic.ranks(); ++rank)
        for (const Peer &peer : traffic.peers(rank))
            if (rank < peer.rank) sum += peer.bytes * tree.distance(mapping[at(rank)], mapping[at(peer.rank)]);
    return sum;
}

double least_cost(const Tree &tree, const Traffic &traffic) {
    const std::vector<int> others = most_others(tree);
    std::vector<double> heaviest;
    double sum = 0;
    for (int rank = 0; rank < traffic.ranks(); ++rank) {
        heaviest.clear();
        for (const Peer &peer : traffic.peers(rank)) heaviest.push_back(peer.bytes);
        auto next = heaviest.begin();
        for (int level = tree.levels() - 1; level >= 0 && next != heaviest.end(); --level) {
            const auto end = heaviest.begin() + std::min(std::ssize(heaviest), std::ptrdiff_t{others[at(level)]});
            std::nth_element(next, end, heaviest.end(), std::greater<>());
            sum += std::accumulate(next, end, 0.0) * tree.distance_at(level);
            next = end;
        }
    }
    return sum / 2;
}

Mapping packed(const Problem &problem) { return in_order(problem, open_slots(problem)); }

Mapping round_robin(const Problem &problem, int level) {
    std::vector<std::vector<int>> of_node(at(problem.tree.nodes(level)));
    const std::vector<int> open = open_slots(problem);
    for (const int slot : open) of_node[at(problem.tree.node(level, slot))].push_back(slot);
    std::vector<int> slots;
    for (std::size_t turn = 0; slots.size() < open.size(); ++turn)
        for (const auto &node : of_node)
            if (turn < node.size()) slots.push_back(node[turn]);
    return in_order(problem, slots);
}

Mapping random(const Problem &problem, std::uint64_t seed) {
    std::mt19937_64 numbers(seed);
    std::vector<int> slots = open_slots(problem);
    // std::shuffle draws differently with each standard library.
    for (std::size_t i = slots.size(); i > 1; --i) std::swap(slots[i - 1], slots[numbers() % i]);
    return in_order(problem, slots);
}

}
