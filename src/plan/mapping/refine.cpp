// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mapping/refine.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>

namespace nereus::plan::mapping {
namespace {

constexpr std::int64_t most_pairs = std::int64_t{1} << 20; // of slots, for which all are looked at
constexpr int most_beside = 64;                            // slots beside a peer that are looked at
constexpr int most_turns = 32;                             // that a rank has to find a better slot
constexpr int stays = -1;

std::size_t at(int number) { return static_cast<std::size_t>(number); }

class Swaps {
public:
    Swaps(const Tree &tree, const Traffic &traffic, const std::vector<int> &kinds, Mapping &mapping)
        : tree_(tree), traffic_(traffic), kinds_(kinds), slot_of_(mapping), rank_at_(at(tree.slots()), nowhere),
          waits_(mapping.size(), true), turns_(mapping.size(), most_turns),
          every_pair_(static_cast<std::int64_t>(traffic.ranks()) * tree.slots() <= most_pairs) {
        for (std::size_t rank = 0; rank < mapping.size(); ++rank) rank_at_[at(mapping[rank])] = static_cast<int>(rank);
    }

    void run() {
        for (int rank = 0; rank < traffic_.ranks(); ++rank) waiting_.push_back(rank);
        while (!waiting_.empty()) {
            const int rank = waiting_.front();
            waiting_.pop_front();
            waits_[at(rank)] = false;
            if (turns_[at(rank)]-- > 0) improve(rank);
        }
    }

private:
    struct Best {
        int slot = nowhere;
        double gain = 0;
    };

    void improve(int rank) {
        const int slot = slot_of_[at(rank)];
        if (kinds_[at(slot)] == stays || traffic_.peers(rank).empty()) return;
        const Best best = every_pair_ ? best_of_all(rank) : best_beside_peers(rank);
        if (best.slot == nowhere) return;
        const int other = rank_at_[at(best.slot)];
        move(rank, best.slot);
        rank_at_[at(slot)] = other;
        if (other != nowhere) move(other, slot);
        wake(rank);
        if (other != nowhere) wake(other);
    }

    void move(int rank, int slot) {
        slot_of_[at(rank)] = slot;
        rank_at_[at(slot)] = rank;
    }

    /// It and its peers have another neighbourhood now.
    void wake(int rank) {
        wait(rank);
        for (const Peer &peer : traffic_.peers(rank)) wait(peer.rank);
    }

    void wait(int rank) {
        if (waits_[at(rank)]) return;
        waits_[at(rank)] = true;
        waiting_.push_back(rank);
    }

    Best best_of_all(int rank) const {
        Best best;
        for (int slot = 0; slot < tree_.slots(); ++slot) consider(rank, slot, best);
        return best;
    }

    Best best_beside_peers(int rank) {
        Best best;
        const int level = tree_.levels() - 1, own = tree_.node(level, slot_of_[at(rank)]);
        seen_.assign(1, own);
        for (const Peer &peer : traffic_.peers(rank)) {
            const int node = tree_.node(level, slot_of_[at(peer.rank)]);
            if (std::ranges::find(seen_, node) != seen_.end()) continue;
            seen_.push_back(node);
            const Slots beside = tree_.slots_of(level, node);
            const int step = std::max(1, beside.count() / most_beside);
            for (int slot = beside.first; slot < beside.end; slot += step) consider(rank, slot, best);
        }
        return best;
    }

    void consider(int rank, int slot, Best &best) const {
        const int from = slot_of_[at(rank)];
        if (slot == from || kinds_[at(slot)] != kinds_[at(from)]) return;
        const int other = rank_at_[at(slot)];
        double gain = gain_of(rank, from, slot, other);
        if (other != nowhere) gain += gain_of(other, slot, from, rank);
        if (gain > best.gain && is_more_than_rounding(gain, rank)) best = {slot, gain};
    }

    /// Without this, sums of numbers that no double holds exactly would be swapped for ever.
    bool is_more_than_rounding(double gain, int rank) const {
        double sum = 0;
        for (const Peer &peer : traffic_.peers(rank)) sum += peer.bytes;
        return gain > 1e-9 * sum * tree_.distance_at(0);
    }

    /// What `rank` gains by its own move; it stays as far from `other`, with which it swaps.
    double gain_of(int rank, int from, int to, int other) const {
        double gain = 0;
        for (const Peer &peer : traffic_.peers(rank)) {
            if (peer.rank == other) continue;
            const int slot = slot_of_[at(peer.rank)];
            gain += peer.bytes * (tree_.distance(from, slot) - tree_.distance(to, slot));
        }
        return gain;
    }

    const Tree &tree_;
    const Traffic &traffic_;
    const std::vector<int> &kinds_;
    Mapping &slot_of_;
    std::vector<int> rank_at_;
    std::deque<int> waiting_;
    std::vector<bool> waits_;
    std::vector<int> turns_;
    std::vector<int> seen_;
    bool every_pair_;
};

/// Of the slots: 0, 1 for those in use, `stays` where a rank is fixed.
std::vector<int> kinds_of_slots(const Problem &problem) {
    std::vector<int> kinds(problem.in_use.begin(), problem.in_use.end());
    for (const int slot : problem.fixed)
        if (slot != nowhere) kinds[at(slot)] = stays;
    return kinds;
}

/// Of the nodes of each level: the same number for the same shape with the same slots in use; `stays` above fixed
/// ranks.
std::vector<std::vector<int>> kinds_of_nodes(const Problem &problem) {
    const Tree &tree = problem.tree;
    std::vector<std::vector<int>> kinds(at(tree.levels()) + 1);
    kinds.back() = kinds_of_slots(problem);
    for (int level = tree.levels() - 1; level >= 0; --level) {
        std::map<std::vector<int>, int> numbers;
        const auto &below = kinds[at(level) + 1];
        for (int node = 0; node < tree.nodes(level); ++node) {
            const auto [first, end] = tree.children_of(level, node);
            std::vector<int> shape(below.begin() + first, below.begin() + end);
            const bool is_fixed = std::ranges::find(shape, stays) != shape.end();
            const int number = static_cast<int>(numbers.size());
            kinds[at(level)].push_back(is_fixed ? stays : numbers.try_emplace(std::move(shape), number).first->second);
        }
    }
    return kinds;
}

/// Swaps what is below nodes of a level.
void swap_subtrees(const Problem &problem, int level, const std::vector<int> &kinds, Mapping &mapping) {
    const Tree &tree = problem.tree;
    std::vector<int> node_of_rank;
    for (const int slot : mapping) node_of_rank.push_back(tree.node(level, slot));
    Mapping node_of_content(kinds.size());
    std::iota(node_of_content.begin(), node_of_content.end(), 0);
    swap_slots(tree.above(level), problem.traffic.between(node_of_rank, tree.nodes(level)), kinds, node_of_content);
    for (std::size_t rank = 0; rank < mapping.size(); ++rank) {
        const int from = node_of_rank[rank], to = node_of_content[at(from)];
        mapping[rank] += tree.slots_of(level, to).first - tree.slots_of(level, from).first;
    }
}

}

void swap_slots(const Tree &tree, const Traffic &traffic, const std::vector<int> &kinds, Mapping &mapping) {
    Swaps(tree, traffic, kinds, mapping).run();
}

Mapping refined(const Problem &problem, Mapping mapping) {
    const auto kinds = kinds_of_nodes(problem);
    for (int level = 1; level < problem.tree.levels(); ++level)
        if (problem.tree.nodes(level) > problem.tree.nodes(level - 1))
            swap_subtrees(problem, level, kinds[at(level)], mapping);
    swap_slots(problem.tree, problem.traffic, kinds.back(), mapping);
    return mapping;
}

}
