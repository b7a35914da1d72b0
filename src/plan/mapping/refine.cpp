// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mapping/refine.hpp"

#include "base/index.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <random>
#include <utility>

namespace nereus::plan::mapping {
namespace {

constexpr std::int64_t most_pairs = std::int64_t{1} << 20; // of slots, for which all are looked at
constexpr int most_beside = 64;                            // slots beside a peer that are looked at
constexpr int most_turns = 32;                             // that a rank has to find a better slot
constexpr std::int64_t most_rounds = 20000;                // of shaking
constexpr double worth_shaking = 0.02;                     // of the cost, that may be gained at most
constexpr int stays = -1;

class Swaps {
public:
    Swaps(const Tree &tree, const Traffic &traffic, const std::vector<int> &kinds, Mapping &mapping, Steps &steps)
        : tree_(tree), traffic_(traffic), kinds_(kinds), slot_of_(mapping), steps_(steps),
          rank_at_(at(tree.slots()), nowhere), waits_(mapping.size(), true), turns_(mapping.size(), most_turns),
          every_pair_(static_cast<std::int64_t>(traffic.ranks()) * tree.slots() <= most_pairs) {
        for (std::size_t rank = 0; rank < mapping.size(); ++rank) rank_at_[at(mapping[rank])] = static_cast<int>(rank);
        for (int rank = 0; rank < traffic.ranks(); ++rank) {
            excess_.push_back(excess_of(rank));
            rounding_.push_back(1e-9 * traffic.bytes_of(rank) * tree.distance_at(0));
            steps_.take(std::ssize(traffic.peers(rank)));
        }
        least_ = least_cost(tree, traffic);
    }

    void run() {
        if (!may_gain(0)) return;
        for (int rank = 0; rank < traffic_.ranks(); ++rank) waiting_.push_back(rank);
        settle();
    }

    /// Swaps that cost something are forced, in the hope that what follows saves more; else they are undone.
    void shake() {
        if (!every_pair_ || !may_gain(worth_shaking)) return;
        for (std::int64_t round = 0; round < most_rounds && steps_.are_left(); ++round) {
            steps_.take(traffic_.ranks());
            const Mapping slots = slot_of_;
            const std::vector<int> ranks = rank_at_;
            const std::vector<double> excess = excess_;
            std::ranges::fill(turns_, most_turns);
            dearer_ = 0;
            for (std::int64_t times = 1 + round % 3; times > 0; --times) force();
            settle();
            if (dearer_ <= 0) continue;
            slot_of_ = slots;
            rank_at_ = ranks;
            excess_ = excess;
        }
    }

private:
    /// More than this share of what it costs.
    bool may_gain(double share) const {
        double costs = 0;
        for (int rank = 0; rank < traffic_.ranks(); ++rank)
            costs += (excess_[at(rank)] + beside_ * traffic_.bytes_of(rank)) / 2;
        return costs - least_ > std::max(share, 1e-9) * costs;
    }

    void settle() {
        while (!waiting_.empty() && steps_.are_left()) {
            const int rank = waiting_.front();
            waiting_.pop_front();
            waits_[at(rank)] = false;
            if (turns_[at(rank)]-- > 0) improve(rank);
        }
    }

    /// Brings a rank beside one of its peers.
    void force() {
        const int rank = draw(traffic_.ranks());
        const auto peers = traffic_.peers(rank);
        if (peers.empty()) return;
        const int peer = peers[static_cast<std::size_t>(draw(static_cast<int>(peers.size())))].rank;
        const auto [first, end] = tree_.slots_of(level_, tree_.node(level_, slot_of_[at(peer)]));
        const int from = slot_of_[at(rank)], to = first + draw(end - first);
        if (kinds_[at(from)] != stays && kinds_[at(to)] == kinds_[at(from)] && to != from) swap(rank, to);
    }

    int draw(int end) { return static_cast<int>(numbers_() % static_cast<std::uint64_t>(end)); }

    struct Best {
        int slot = nowhere;
        double gain = 0;
    };

    void improve(int rank) {
        if (kinds_[at(slot_of_[at(rank)])] == stays || excess_[at(rank)] <= rounding_[at(rank)]) return;
        const Best best = every_pair_ ? best_of_all(rank) : best_beside_peers(rank);
        if (best.slot != nowhere) swap(rank, best.slot);
    }

    void swap(int rank, int to) {
        const int from = slot_of_[at(rank)], other = rank_at_[at(to)];
        rank_at_[at(from)] = nowhere;
        move(rank, to);
        if (other != nowhere) move(other, from);
    }

    /// It and its peers have another neighbourhood from then on.
    void move(int rank, int slot) {
        const int from = std::exchange(slot_of_[at(rank)], slot);
        rank_at_[at(slot)] = rank;
        steps_.take(2 * std::ssize(traffic_.peers(rank)));
        for (const auto &[peer, bytes] : traffic_.peers(rank)) {
            const int place = slot_of_[at(peer)];
            const double more = bytes * (tree_.distance(slot, place) - tree_.distance(from, place));
            excess_[at(peer)] += more;
            dearer_ += more;
            wait(peer);
        }
        excess_[at(rank)] = excess_of(rank);
        wait(rank);
    }

    /// What a rank costs more than if all its peers were beside it: it cannot gain more.
    double excess_of(int rank) const {
        double excess = 0;
        for (const Peer &peer : traffic_.peers(rank))
            excess += peer.bytes * (tree_.distance(slot_of_[at(rank)], slot_of_[at(peer.rank)]) - beside_);
        return excess;
    }

    void wait(int rank) {
        if (waits_[at(rank)]) return;
        waits_[at(rank)] = true;
        waiting_.push_back(rank);
    }

    Best best_of_all(int rank) const {
        Best best;
        for (int node = 0; node < tree_.nodes(level_) && steps_.are_left(); ++node) look_beside(rank, node, 1, best);
        return best;
    }

    Best best_beside_peers(int rank) {
        Best best;
        seen_.clear();
        for (const Peer &peer : traffic_.peers(rank)) {
            const int node = tree_.node(level_, slot_of_[at(peer.rank)]);
            steps_.take(1 + std::ssize(seen_));
            if (!steps_.are_left()) return best;
            if (std::ranges::find(seen_, node) != seen_.end()) continue;
            seen_.push_back(node);
            look_beside(rank, node, std::max(1, tree_.slots_of(level_, node).count() / most_beside), best);
        }
        return best;
    }

    /// Every `step`th of the slots below one node; `rank` itself gains in none more than `own_gain`.
    void look_beside(int rank, int node, int step, Best &best) const {
        const int from = slot_of_[at(rank)];
        const auto [first, end] = tree_.slots_of(level_, node);
        if (tree_.node(level_, from) == node) return;
        const double own_gain = gain_below(rank, node);
        steps_.take((end - first) / step);
        for (int slot = first; slot < end; slot += step) {
            if (kinds_[at(slot)] != kinds_[at(from)]) continue;
            const int other = rank_at_[at(slot)];
            const double most = own_gain + (other == nowhere ? 0 : excess_[at(other)]);
            if (most <= std::max(best.gain, rounding_[at(rank)])) continue;
            double gain = gain_of(rank, from, slot, other);
            if (other != nowhere) gain += gain_of(other, slot, from, rank);
            if (gain > std::max(best.gain, rounding_[at(rank)])) best = {slot, gain};
        }
    }

    /// What `rank` gains where peers that are below the node become peers beside it.
    double gain_below(int rank, int node) const {
        const int from = slot_of_[at(rank)], first = tree_.slots_of(level_, node).first;
        double gain = 0;
        steps_.take(std::ssize(traffic_.peers(rank)));
        for (const Peer &peer : traffic_.peers(rank)) {
            const int slot = slot_of_[at(peer.rank)];
            gain += peer.bytes * (tree_.distance(from, slot) - std::max(beside_, tree_.distance(first, slot)));
        }
        return gain;
    }

    /// What `rank` gains by its own move; it stays as far from `other`, with which it swaps.
    double gain_of(int rank, int from, int to, int other) const {
        double gain = 0;
        steps_.take(std::ssize(traffic_.peers(rank)));
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
    Steps &steps_;
    std::vector<int> rank_at_;
    std::vector<double> excess_;   ///< of each rank
    std::vector<double> rounding_; ///< of each rank: sums that no double holds exactly must not be swapped for ever
    std::deque<int> waiting_;
    std::vector<bool> waits_;
    std::vector<int> turns_;
    std::vector<int> seen_;
    int level_ = tree_.levels() - 1; ///< of the nodes whose slots are beside each other
    double beside_ = tree_.distance_at(level_);
    bool every_pair_;
    double least_;      ///< that any mapping can cost
    double dearer_ = 0; ///< what all moves cost more
    std::mt19937_64 numbers_;
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
void swap_subtrees(const Problem &problem, int level, const std::vector<int> &kinds, Mapping &mapping, Steps &steps) {
    const Tree &tree = problem.tree;
    std::vector<int> node_of_rank;
    for (const int slot : mapping) node_of_rank.push_back(tree.node(level, slot));
    Mapping node_of_content(kinds.size());
    std::iota(node_of_content.begin(), node_of_content.end(), 0);
    swap_slots(tree.above(level), problem.traffic.between(node_of_rank, tree.nodes(level)), kinds, node_of_content,
               steps);
    for (std::size_t rank = 0; rank < mapping.size(); ++rank) {
        const int from = node_of_rank[rank], to = node_of_content[at(from)];
        mapping[rank] += tree.slots_of(level, to).first - tree.slots_of(level, from).first;
    }
}

}

void swap_slots(const Tree &tree, const Traffic &traffic, const std::vector<int> &kinds, Mapping &mapping,
                Steps &steps) {
    Swaps(tree, traffic, kinds, mapping, steps).run();
}

Mapping refined(const Problem &problem, Mapping mapping, Steps &steps) {
    const auto kinds = kinds_of_nodes(problem);
    // Nodes right below the root are all as far from each other.
    for (int level = 2; level < problem.tree.levels() && steps.are_left(); ++level)
        if (problem.tree.nodes(level) > problem.tree.nodes(level - 1))
            swap_subtrees(problem, level, kinds[at(level)], mapping, steps);
    if (!steps.are_left()) return mapping;
    Swaps swaps(problem.tree, problem.traffic, kinds.back(), mapping, steps);
    swaps.run();
    swaps.shake();
    return mapping;
}

Mapping refined(const Problem &problem, Mapping mapping, std::int64_t most_steps) {
    Steps steps(most_steps);
    return refined(problem, std::move(mapping), steps);
}

}
