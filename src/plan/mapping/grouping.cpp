// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mapping/grouping.hpp"

#include "base/index.hpp"
#include "plan/mapping/grow.hpp"
#include "plan/mapping/refine.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace nereus::plan::mapping {
namespace {

using Group = std::vector<int>;

/// How many groups there are to choose from; most_listed + 1 where they are more than that.
std::int64_t possible_groups(int ranks, int size) {
    std::int64_t number = 1;
    for (int i = 1; i <= size && number <= most_listed; ++i) number = number * (ranks - size + i) / i;
    return std::min<std::int64_t>(number, most_listed + 1);
}

/// Ranks 0 .. size - 1, then every other choice in rising order.
std::vector<Group> all_groups(int ranks, int size) {
    std::vector<Group> groups;
    Group group(at(size));
    std::iota(group.begin(), group.end(), 0);
    while (true) {
        groups.push_back(group);
        int last = size - 1;
        while (last >= 0 && group[at(last)] == ranks - size + last) --last;
        if (last < 0) return groups;
        std::iota(group.begin() + last, group.end(), group[at(last)] + 1);
    }
}

/// Groups from which disjoint ones are chosen.
class Candidates {
public:
    Candidates(const Traffic &traffic, int size) : traffic_(traffic), groups_(all_groups(traffic.ranks(), size)) {
        std::vector<bool> inside(at(traffic.ranks()), false);
        for (const Group &group : groups_) weights_.push_back(weight_of(group, inside));
    }

    /// Disjoint groups, each the first in the order that is possible: those of least weight first; those of least
    /// weight for what they shut out; those that come first of those below the least bound on weight that allows it.
    std::vector<std::vector<int>> choices() const {
        std::vector<int> by_weight(groups_.size()), by_share = by_weight;
        std::iota(by_weight.begin(), by_weight.end(), 0);
        std::ranges::stable_sort(by_weight, {}, [&](int group) { return weights_[at(group)]; });
        const std::vector<double> shut_out = weights_shut_out();
        by_share = by_weight;
        std::ranges::stable_sort(by_share, std::greater<>(), [&](int group) { return shut_out[at(group)]; });
        return {disjoint(by_weight), disjoint(by_share), without_the_heaviest(by_weight)};
    }

private:
    double weight_of(const Group &group, std::vector<bool> &inside) const {
        for (const int rank : group) inside[at(rank)] = true;
        double weight = 0;
        for (const int rank : group)
            for (const Peer &peer : traffic_.peers(rank))
                if (!inside[at(peer.rank)]) weight += peer.bytes;
        for (const int rank : group) inside[at(rank)] = false;
        return weight;
    }

    /// Of each group: weights of the groups that cannot be taken beside it, over its own. One that shares several
    /// ranks counts as often.
    std::vector<double> weights_shut_out() const {
        std::vector<double> of_rank(at(traffic_.ranks()), 0), shares;
        for (std::size_t group = 0; group < groups_.size(); ++group)
            for (const int rank : groups_[group]) of_rank[at(rank)] += weights_[group];
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            double sum = 0;
            for (const int rank : groups_[group]) sum += of_rank[at(rank)];
            shares.push_back(weights_[group] > 0 ? sum / weights_[group] : sum + 1);
        }
        return shares;
    }

    std::vector<int> disjoint(const std::vector<int> &order) const {
        std::vector<int> group_of(at(traffic_.ranks()), no_part);
        int taken = 0;
        for (const int group : order) {
            const Group &ranks = groups_[at(group)];
            if (std::ranges::any_of(ranks, [&](int rank) { return group_of[at(rank)] != no_part; })) continue;
            for (const int rank : ranks) group_of[at(rank)] = taken;
            ++taken;
        }
        return group_of;
    }

    bool is_whole(const std::vector<int> &group_of) const { return std::ranges::count(group_of, no_part) == 0; }

    /// Groups of great weight are left out, as many as can be, and of the others those in order are taken.
    std::vector<int> without_the_heaviest(const std::vector<int> &by_weight) const {
        const auto chosen = [&](std::ptrdiff_t number) {
            std::vector<int> some(by_weight.begin(), by_weight.begin() + number);
            std::ranges::sort(some);
            return disjoint(some);
        };
        std::ptrdiff_t few = 0, enough = std::ssize(by_weight);
        while (enough - few > 1) {
            const std::ptrdiff_t middle = few + (enough - few) / 2;
            (is_whole(chosen(middle)) ? enough : few) = middle;
        }
        return chosen(enough);
    }

    const Traffic &traffic_;
    std::vector<Group> groups_;
    std::vector<double> weights_;
};

/// Pairs with most between them first; who has no peer left is paired with the next.
std::vector<int> heaviest_pairs(const Traffic &traffic) {
    auto pairs = traffic.pairs();
    std::ranges::stable_sort(pairs, std::greater<>(), &Pair::bytes);
    std::vector<int> group_of(at(traffic.ranks()), no_part);
    int groups = 0;
    for (const Pair &pair : pairs)
        if (group_of[at(pair.a)] == no_part && group_of[at(pair.b)] == no_part)
            group_of[at(pair.a)] = group_of[at(pair.b)] = groups++;
    bool is_second = false;
    for (int &group : group_of)
        if (group == no_part) {
            group = groups;
            groups += is_second ? 1 : 0;
            is_second = !is_second;
        }
    return group_of;
}

std::vector<int> one_after_the_other(const Traffic &traffic, int size) {
    return grown(traffic, std::vector<int>(at(traffic.ranks() / size), size),
                 std::vector<int>(at(traffic.ranks()), no_part));
}

/// With swaps between groups that lessen what goes between them.
std::vector<int> improved(const Traffic &traffic, int size, const std::vector<int> &group_of, Steps &steps) {
    const Tree tree = Tree::even({traffic.ranks() / size, size}, {1, 0});
    std::vector<int> taken(group_of.size() / at(size), 0), kinds(group_of.size(), 0);
    Mapping mapping;
    for (const int group : group_of) mapping.push_back(group * size + taken[at(group)]++);
    swap_slots(tree, traffic, kinds, mapping, steps);
    std::vector<int> better;
    for (const int slot : mapping) better.push_back(slot / size);
    return better;
}

std::vector<std::vector<int>> ways_to_group(const Traffic &traffic, int size) {
    std::vector<std::vector<int>> ways;
    if (possible_groups(traffic.ranks(), size) <= most_listed) ways = Candidates(traffic, size).choices();
    if (size == 2) ways.push_back(heaviest_pairs(traffic));
    ways.push_back(one_after_the_other(traffic, size));
    return ways;
}

}

double between_groups(const Traffic &traffic, const std::vector<int> &group_of) {
    double sum = 0;
    for (int rank = 0; rank < traffic.ranks(); ++rank)
        for (const Peer &peer : traffic.peers(rank))
            if (rank < peer.rank && group_of[at(rank)] != group_of[at(peer.rank)]) sum += peer.bytes;
    return sum;
}

std::vector<int> grouped(const Traffic &traffic, int size, Steps &steps) {
    if (size == 1) {
        std::vector<int> alone(at(traffic.ranks()));
        std::iota(alone.begin(), alone.end(), 0);
        return alone;
    }
    std::vector<int> best;
    double least = 0;
    for (const auto &way : ways_to_group(traffic, size)) {
        auto group_of = improved(traffic, size, way, steps);
        const double between = between_groups(traffic, group_of);
        if (best.empty() || between < least) {
            best = std::move(group_of);
            least = between;
        }
    }
    return best;
}

}
