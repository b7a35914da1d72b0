// SPDX-License-Identifier: BSD-3-Clause
#include "place/scotch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <scotch.h>

namespace nereus::place {
namespace {

using plan::mapping::Mapping;
using plan::mapping::nowhere;
using plan::mapping::Peer;
using plan::mapping::Problem;
using plan::mapping::Tree;
using Numbers = std::vector<SCOTCH_Num>;

// Scotch sums bytes times distances in numbers of 32 bits.
constexpr double greatest_sum = 1e9;
constexpr double greatest_distance = 1000;

std::size_t at(int number) { return static_cast<std::size_t>(number); }

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
using Strategy = Held<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using Context = Held<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;

std::vector<int> most_children(const Tree &tree) {
    std::vector<int> most(at(tree.levels()), 1);
    for (int level = 0; level < tree.levels(); ++level)
        for (int node = 0; node < tree.nodes(level); ++node)
            most[at(level)] = std::max(most[at(level)], tree.children_of(level, node).count());
    return most;
}

/// The machine with equal numbers of children everywhere, of which only some slots are there and free.
class Machine {
public:
    explicit Machine(const Problem &problem) {
        const Tree &tree = problem.tree;
        const std::vector<int> most = most_children(tree);
        Numbers sizes(most.begin(), most.end()), links;
        for (int level = 0; level < tree.levels(); ++level) links.push_back(distance_at(tree, level));
        double all = 1;
        for (const int number : most) all *= number;
        if (all > plan::mapping::most_slots_of_tree) return;
        good_ = SCOTCH_archTleaf(whole_.get(), tree.levels(), sizes.data(), links.data()) == 0;
        for (int slot = 0; slot < tree.slots(); ++slot)
            if (problem.free(slot)) {
                numbers_.push_back(number_of(tree, most, slot));
                slots_.push_back(slot);
            }
        is_whole_ = static_cast<double>(slots_.size()) == all;
        if (!is_whole_ && good_)
            good_ = SCOTCH_archSub(free_.get(), whole_.get(), static_cast<SCOTCH_Num>(numbers_.size()),
                                   numbers_.data()) == 0;
    }

    bool is_good() const { return good_; }
    SCOTCH_Arch *arch() { return is_whole_ ? whole_.get() : free_.get(); }
    /// Free slots as Scotch numbers them.
    const std::vector<int> &slots() const { return slots_; }

private:
    /// In whole numbers: the farthest slots have greatest_distance.
    static SCOTCH_Num distance_at(const Tree &tree, int level) {
        const double most = tree.distance_at(0);
        return most > 0 ? static_cast<SCOTCH_Num>(std::lround(tree.distance_at(level) / most * greatest_distance)) : 0;
    }

    static SCOTCH_Num number_of(const Tree &tree, const std::vector<int> &most, int slot) {
        SCOTCH_Num number = 0;
        for (int level = 0; level < tree.levels(); ++level) {
            const auto children = tree.children_of(level, tree.node(level, slot));
            number = number * most[at(level)] + tree.node(level + 1, slot) - children.first;
        }
        return number;
    }

    Arch whole_, free_;
    Numbers numbers_;
    std::vector<int> slots_;
    bool is_whole_ = false;
    bool good_ = false;
};

/// What ranks send each other in whole numbers, and ranks that send nothing for the slots that are left.
struct Load {
    Numbers first, peers, bytes;

    Load(const Problem &problem, std::size_t slots) {
        double sum = 0;
        for (int rank = 0; rank < problem.ranks(); ++rank) sum += problem.traffic.bytes_of(rank);
        const double scale = sum > 0 ? greatest_sum / greatest_distance / sum : 0;
        first.push_back(0);
        for (int rank = 0; rank < problem.ranks(); ++rank) {
            for (const Peer &peer : problem.traffic.peers(rank)) {
                peers.push_back(peer.rank);
                bytes.push_back(std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(std::lround(peer.bytes * scale))));
            }
            first.push_back(static_cast<SCOTCH_Num>(peers.size()));
        }
        first.resize(slots + 1, first.back());
    }
};

/// Ranks where Scotch put several into one slot, or into one of a fixed rank, go to the nearest that is free.
class Settled {
public:
    Settled(const Problem &problem, const Mapping &wanted)
        : problem_(problem), mapping_(problem.fixed), taken_(problem.in_use) {
        for (const int slot : problem.fixed)
            if (slot != nowhere) taken_[at(slot)] = true;
        std::vector<int> homeless;
        for (int rank = 0; rank < problem.ranks(); ++rank)
            if (mapping_[at(rank)] == nowhere && !take(rank, wanted[at(rank)])) homeless.push_back(rank);
        for (const int rank : homeless) take(rank, nearest(wanted[at(rank)]));
    }
    Mapping mapping() { return std::move(mapping_); }

private:
    bool take(int rank, int slot) {
        if (taken_[at(slot)]) return false;
        taken_[at(slot)] = true;
        mapping_[at(rank)] = slot;
        return true;
    }

    int nearest(int wanted) const {
        for (int level = problem_.tree.levels(); level >= 0; --level) {
            const auto [first, end] = problem_.tree.slots_of(level, problem_.tree.node(level, wanted));
            const auto free = std::find(taken_.begin() + first, taken_.begin() + end, false);
            if (free != taken_.begin() + end) return static_cast<int>(free - taken_.begin());
        }
        return wanted;
    }

    const Problem &problem_;
    Mapping mapping_;
    std::vector<bool> taken_;
};

/// Where each rank must be, as Scotch numbers slots; -1: anywhere.
Numbers fixed_parts(const Problem &problem, const std::vector<int> &slots) {
    Numbers parts(slots.size(), -1);
    for (std::size_t rank = 0; rank < problem.fixed.size(); ++rank)
        if (problem.fixed[rank] != nowhere)
            parts[rank] = static_cast<SCOTCH_Num>(std::ranges::lower_bound(slots, problem.fixed[rank]) - slots.begin());
    return parts;
}

bool has_fixed(const Problem &problem) {
    return std::ranges::any_of(problem.fixed, [](int slot) { return slot != nowhere; });
}

}

std::optional<Mapping> scotch_mapping(const Problem &problem) {
    Machine machine(problem);
    if (!machine.is_good()) return std::nullopt;
    const auto vertices = static_cast<SCOTCH_Num>(machine.slots().size());
    Load load(problem, machine.slots().size());
    Graph graph, bound;
    Context context;
    Strategy strategy;
    SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1);
    SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMRANDOMFIXEDSEED, 1);
    SCOTCH_contextThreadSpawn(context.get(), 1, nullptr);
    SCOTCH_randomReset();
    if (SCOTCH_graphBuild(graph.get(), 0, vertices, load.first.data(), load.first.data() + 1, nullptr, nullptr,
                          static_cast<SCOTCH_Num>(load.peers.size()), load.peers.data(), load.bytes.data()) != 0 ||
        SCOTCH_contextBindGraph(context.get(), graph.get(), bound.get()) != 0 ||
        SCOTCH_stratGraphMapBuild(strategy.get(), SCOTCH_STRATBALANCE, vertices, 0.0) != 0)
        return std::nullopt;
    Numbers parts = fixed_parts(problem, machine.slots());
    const auto map = has_fixed(problem) ? SCOTCH_graphMapFixed : SCOTCH_graphMap;
    if (map(bound.get(), machine.arch(), strategy.get(), parts.data()) != 0) return std::nullopt;
    Mapping wanted;
    for (int rank = 0; rank < problem.ranks(); ++rank) wanted.push_back(machine.slots()[at(parts[at(rank)])]);
    return Settled(problem, wanted).mapping();
}

}
