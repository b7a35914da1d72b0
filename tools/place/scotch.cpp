// SPDX-License-Identifier: BSD-3-Clause
#include "tools/place/scotch.hpp"

#include "base/index.hpp"
#include "tools/place/scotch_graph.hpp"

#include <algorithm>
#include <numeric>

namespace nereus::place {
namespace {

using plan::mapping::cost;
using plan::mapping::Mapping;
using plan::mapping::nowhere;
using plan::mapping::Problem;
using plan::mapping::Slots;
using plan::mapping::Traffic;
using plan::mapping::Tree;

// What Scotch takes for a mapping grows with the square of the number of places.
constexpr int most_places = 4096;

/// Nodes of one level as places for several ranks each.
Places places_at(const Problem &problem, int level) {
    const Tree &tree = problem.tree;
    Places places{level == tree.levels() ? tree : tree.above(level), {}, {}};
    for (int node = 0; node < tree.nodes(level); ++node) {
        const auto [first, end] = tree.slots_of(level, node);
        places.room.push_back(
            static_cast<int>(std::count(problem.in_use.begin() + first, problem.in_use.begin() + end, false)));
    }
    for (const int slot : problem.fixed) places.fixed.push_back(slot == nowhere ? nowhere : tree.node(level, slot));
    return places;
}

/// Ranks for which Scotch saw more room than there is go to the nearest place that has some.
class Settled {
public:
    Settled(const Places &places, const Mapping &wanted)
        : tree_(places.tree), room_(places.room), place_of_(places.fixed) {
        for (const int place : places.fixed)
            if (place != nowhere) --room_[at(place)];
        std::vector<std::size_t> homeless;
        for (std::size_t rank = 0; rank < wanted.size(); ++rank)
            if (place_of_[rank] == nowhere && !take(rank, wanted[rank])) homeless.push_back(rank);
        for (const std::size_t rank : homeless) take(rank, nearest(wanted[rank]));
    }
    Mapping mapping() { return std::move(place_of_); }

private:
    bool take(std::size_t rank, int place) {
        if (room_[at(place)] < 1) return false;
        --room_[at(place)];
        place_of_[rank] = place;
        return true;
    }

    int nearest(int wanted) const {
        for (int level = tree_.levels(); level >= 0; --level) {
            const auto [first, end] = tree_.slots_of(level, tree_.node(level, wanted));
            for (int place = first; place < end; ++place)
                if (room_[at(place)] > 0) return place;
        }
        return wanted;
    }

    const Tree &tree_;
    std::vector<int> room_;
    Mapping place_of_;
};

/// The lowest level that is not too wide for Scotch; the slots where there is none but the root.
int level_for_scotch(const Tree &tree) {
    int level = tree.levels();
    while (level > 0 && tree.nodes(level) > most_places) --level;
    return level > 0 ? level : tree.levels();
}

/// The part of the problem that lies below a node.
Problem problem_below(const Problem &problem, int level, int node, const std::vector<int> &ranks) {
    const Slots slots = problem.tree.slots_of(level, node);
    std::vector<int> number(at(problem.ranks()), nowhere), fixed;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        number[at(ranks[i])] = static_cast<int>(i);
        const int slot = problem.fixed[at(ranks[i])];
        fixed.push_back(slot == nowhere ? nowhere : slot - slots.first);
    }
    return {problem.tree.below(level, node),
            problem.traffic.among(ranks, number),
            {problem.in_use.begin() + slots.first, problem.in_use.begin() + slots.end},
            fixed};
}

/// None is the best one for all problems; of great ones, one is tried.
std::vector<double> imbalances(int slots) {
    return slots <= most_places ? std::vector{0.0, 0.01, 0.03, 0.1} : std::vector{0.03};
}

std::optional<Mapping> mapping_by(const Problem &problem, double imbalance) {
    const int level = level_for_scotch(problem.tree);
    const Places places = places_at(problem, level);
    const auto wanted = scotch_places(places, problem.traffic, imbalance);
    if (!wanted) return std::nullopt;
    Mapping mapping = Settled(places, *wanted).mapping();
    if (level == problem.tree.levels()) return mapping;
    std::vector<std::vector<int>> ranks_of(places.room.size());
    for (int rank = 0; rank < problem.ranks(); ++rank) ranks_of[at(mapping[at(rank)])].push_back(rank);
    for (int node = 0; node < problem.tree.nodes(level); ++node) {
        const auto &ranks = ranks_of[at(node)];
        if (ranks.empty()) continue;
        const auto inside = mapping_by(problem_below(problem, level, node, ranks), imbalance);
        if (!inside) return std::nullopt;
        for (std::size_t i = 0; i < ranks.size(); ++i)
            mapping[at(ranks[i])] = problem.tree.slots_of(level, node).first + (*inside)[i];
    }
    return mapping;
}

}

std::optional<Mapping> scotch_mapping(const Problem &problem) {
    std::optional<Mapping> best;
    for (const double imbalance : imbalances(problem.tree.slots())) {
        auto mapping = mapping_by(problem, imbalance);
        if (!mapping) continue;
        if (!best || cost(problem.tree, problem.traffic, *mapping) < cost(problem.tree, problem.traffic, *best))
            best = std::move(mapping);
    }
    return best;
}

}
