// SPDX-License-Identifier: BSD-3-Clause
#include "tools/place/scotch_graph.hpp"

#include "base/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <scotch.h>

namespace nereus::place {
namespace {

using plan::mapping::Mapping;
using plan::mapping::nowhere;
using plan::mapping::Peer;
using plan::mapping::Traffic;
using plan::mapping::Tree;
using Numbers = std::vector<SCOTCH_Num>;

// Scotch sums bytes times distances in numbers of 32 bits.
constexpr double greatest_sum = 1e9;
constexpr double greatest_distance = 1000;

/// What Scotch fills in, emptied at the end.
template <class T, int (*init)(T *), void (*end)(T *)> class Held {
public:
    Held() { init(&held_); }
    ~Held() { end(&held_); }
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;
    T *get() { return &held_; }

private:
    T held_;
};
using Arch = Held<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using Graph = Held<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using Context = Held<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;
using Strategy = Held<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;

/// The tree with equal numbers of children everywhere, of which only those places are used that have room.
class Machine {
public:
    explicit Machine(const Places &places) {
        const Tree &tree = places.tree;
        const std::vector<int> most = most_children(tree);
        Numbers sizes(most.begin(), most.end()), links, numbers;
        for (int level = 0; level < tree.levels(); ++level) links.push_back(distance_at(tree, level));
        double all = 1;
        for (const int number : most) all *= number;
        if (all > plan::mapping::most_slots_of_tree) return;
        good_ = SCOTCH_archTleaf(whole_.get(), tree.levels(), sizes.data(), links.data()) == 0;
        for (int place = 0; place < tree.slots(); ++place)
            if (places.room[at(place)] > 0) {
                numbers.push_back(number_of(tree, most, place));
                used_.push_back(place);
            }
        is_whole_ = static_cast<double>(used_.size()) == all;
        if (!is_whole_ && good_)
            good_ =
                SCOTCH_archSub(some_.get(), whole_.get(), static_cast<SCOTCH_Num>(numbers.size()), numbers.data()) == 0;
    }

    bool is_good() const { return good_; }
    SCOTCH_Arch *arch() { return is_whole_ ? whole_.get() : some_.get(); }
    /// Places as Scotch numbers them.
    const std::vector<int> &used() const { return used_; }
    SCOTCH_Num number_of_place(int place) const {
        return static_cast<SCOTCH_Num>(std::ranges::lower_bound(used_, place) - used_.begin());
    }

private:
    static std::vector<int> most_children(const Tree &tree) {
        std::vector<int> most(at(tree.levels()), 1);
        for (int level = 0; level < tree.levels(); ++level)
            for (int node = 0; node < tree.nodes(level); ++node)
                most[at(level)] = std::max(most[at(level)], tree.children_of(level, node).count());
        return most;
    }

    /// In whole numbers: the farthest places have greatest_distance.
    static SCOTCH_Num distance_at(const Tree &tree, int level) {
        const double most = tree.distance_at(0);
        return most > 0 ? static_cast<SCOTCH_Num>(std::lround(tree.distance_at(level) / most * greatest_distance)) : 0;
    }

    static SCOTCH_Num number_of(const Tree &tree, const std::vector<int> &most, int place) {
        SCOTCH_Num number = 0;
        for (int level = 0; level < tree.levels(); ++level) {
            const auto children = tree.children_of(level, tree.node(level, place));
            number = number * most[at(level)] + tree.node(level + 1, place) - children.first;
        }
        return number;
    }

    Arch whole_, some_;
    std::vector<int> used_;
    bool is_whole_ = false;
    bool good_ = false;
};

/// Ranks, behind them one for each place that has less room than the greatest, as heavy as what it lacks and fixed
/// there, and ranks that send nothing for the room that is left: so Scotch sees places that are all alike and full.
struct Load {
    Numbers first{0}, weights, peers, bytes, parts;

    Load(const Places &places, const Machine &machine, const Traffic &traffic) {
        add_ranks(traffic);
        for (const int place : places.fixed)
            parts.push_back(place == nowhere ? nowhere : machine.number_of_place(place));
        const int most = std::ranges::max(places.room);
        for (const int place : machine.used())
            if (const int lack = most - places.room[at(place)]; lack > 0) {
                weights.push_back(lack);
                parts.push_back(machine.number_of_place(place));
            }
        const int idle = std::reduce(places.room.begin(), places.room.end()) - traffic.ranks();
        weights.resize(weights.size() + at(idle), 1);
        parts.resize(weights.size(), nowhere);
        first.resize(weights.size() + 1, first.back());
    }

    SCOTCH_Num vertices() const { return static_cast<SCOTCH_Num>(weights.size()); }
    bool has_fixed() const {
        return std::ranges::any_of(parts, [](SCOTCH_Num part) { return part != nowhere; });
    }

private:
    void add_ranks(const Traffic &traffic) {
        double sum = 0;
        for (int rank = 0; rank < traffic.ranks(); ++rank) sum += traffic.bytes_of(rank);
        const double scale = sum > 0 ? greatest_sum / greatest_distance / sum : 0;
        for (int rank = 0; rank < traffic.ranks(); ++rank) {
            for (const Peer &peer : traffic.peers(rank)) {
                peers.push_back(peer.rank);
                bytes.push_back(std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(std::lround(peer.bytes * scale))));
            }
            first.push_back(static_cast<SCOTCH_Num>(peers.size()));
            weights.push_back(1);
        }
    }
};

}

std::optional<Mapping> scotch_places(const Places &places, const Traffic &traffic, double imbalance) {
    // SCOTCH_archSub() of 7.0.3 crashes on a single place.
    if (std::ranges::count(places.room, 0) + 1 == std::ssize(places.room))
        return Mapping(at(traffic.ranks()),
                       static_cast<int>(std::ranges::max_element(places.room) - places.room.begin()));
    Machine machine(places);
    if (!machine.is_good()) return std::nullopt;
    Load load(places, machine, traffic);
    Graph graph, bound;
    Context context;
    Strategy strategy;
    // The same problem gets the same mapping: with several threads it would not.
    SCOTCH_randomReset();
    if (SCOTCH_contextThreadSpawn(context.get(), 1, nullptr) != 0 ||
        SCOTCH_graphBuild(graph.get(), 0, load.vertices(), load.first.data(), load.first.data() + 1,
                          load.weights.data(), nullptr, static_cast<SCOTCH_Num>(load.peers.size()), load.peers.data(),
                          load.bytes.data()) != 0 ||
        SCOTCH_contextBindGraph(context.get(), graph.get(), bound.get()) != 0 ||
        SCOTCH_stratGraphMapBuild(strategy.get(), SCOTCH_STRATDEFAULT, static_cast<SCOTCH_Num>(machine.used().size()),
                                  imbalance) != 0)
        return std::nullopt;
    const auto map = load.has_fixed() ? SCOTCH_graphMapFixed : SCOTCH_graphMap;
    if (map(bound.get(), machine.arch(), strategy.get(), load.parts.data()) != 0) return std::nullopt;
    Mapping wanted;
    for (int rank = 0; rank < traffic.ranks(); ++rank) wanted.push_back(machine.used()[at(load.parts[at(rank)])]);
    return wanted;
}

}
