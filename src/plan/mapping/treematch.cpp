// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mapping/treematch.hpp"

#include "base/index.hpp"
#include "plan/mapping/grouping.hpp"
#include "plan/mapping/grow.hpp"
#include "plan/mapping/refine.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace nereus::plan::mapping {
namespace {

/// Children of the nodes of each level, where they have equal numbers of children and of free slots.
std::optional<std::vector<int>> even_children(const Tree &tree) {
    std::vector<int> children;
    for (int level = 0; level < tree.levels(); ++level) {
        children.push_back(tree.children_of(level, 0).count());
        for (int node = 1; node < tree.nodes(level); ++node)
            if (tree.children_of(level, node).count() != children.back()) return std::nullopt;
    }
    return children;
}

/// Numbers of children above 1, great ones as their prime factors, the greatest at the top.
std::vector<int> in_factors(const std::vector<int> &children) {
    std::vector<int> all;
    for (const int number : children) {
        std::vector<int> factors;
        int rest = number;
        for (int factor = 2; rest > 1; ++factor)
            for (; rest % factor == 0; rest /= factor) factors.push_back(factor);
        all.insert(all.end(), factors.rbegin(), factors.rend());
    }
    return all;
}

/// The slot of each rank, of as many ranks as there are slots.
Mapping from_the_bottom_up(Traffic traffic, const std::vector<int> &children, Steps &steps) {
    Mapping place(at(traffic.ranks()), 0); // of the rank among all that are in its group
    std::vector<int> group_of_rank(place.size());
    std::iota(group_of_rank.begin(), group_of_rank.end(), 0);
    int below = 1; // slots of a group
    for (auto number = children.rbegin(); number != children.rend(); ++number) {
        const std::vector<int> group_of = grouped(traffic, *number, steps);
        const int groups = traffic.ranks() / *number;
        std::vector<int> taken(at(groups), 0), child(group_of.size());
        for (std::size_t object = 0; object < group_of.size(); ++object) child[object] = taken[at(group_of[object])]++;
        for (std::size_t rank = 0; rank < place.size(); ++rank) {
            const std::size_t object = at(group_of_rank[rank]);
            place[rank] += child[object] * below;
            group_of_rank[rank] = group_of[object];
        }
        below *= *number;
        traffic = traffic.between(group_of, groups);
    }
    return place;
}

class TopDown {
public:
    TopDown(const Problem &problem, Steps &steps) : problem_(problem), steps_(steps), mapping_(problem.fixed) {}

    Mapping run() {
        std::vector<int> ranks(at(problem_.ranks()));
        std::iota(ranks.begin(), ranks.end(), 0);
        place(0, 0, ranks, problem_.traffic);
        return std::move(mapping_);
    }

private:
    /// Places ranks below a node, which has room for them.
    void place(int level, int node, const std::vector<int> &ranks, const Traffic &traffic) {
        if (ranks.empty()) return;
        if (level == problem_.tree.levels()) {
            mapping_[at(ranks.front())] = node;
            return;
        }
        const Slots children = problem_.tree.children_of(level, node);
        const std::vector<int> part_of = parts(level, children, ranks, traffic);
        for (int child = children.first; child < children.end; ++child) {
            std::vector<int> number(ranks.size(), no_part), inside;
            for (std::size_t i = 0; i < ranks.size(); ++i)
                if (part_of[i] == child - children.first) {
                    number[i] = static_cast<int>(inside.size());
                    inside.push_back(ranks[i]);
                }
            place(level + 1, child, inside, traffic.between(number, static_cast<int>(inside.size())));
        }
    }

    std::vector<int> parts(int level, Slots children, const std::vector<int> &ranks, const Traffic &traffic) const {
        std::vector<int> order = by_room(level, children), room, part_of(ranks.size(), no_part);
        for (const int child : order) room.push_back(free_below(level + 1, child));
        for (std::size_t i = 0; i < ranks.size(); ++i)
            if (const int slot = problem_.fixed[at(ranks[i])]; slot != nowhere)
                part_of[i] =
                    static_cast<int>(std::ranges::find(order, problem_.tree.node(level + 1, slot)) - order.begin());
        std::vector<int> child_of;
        for (const int part : cut(traffic, room, part_of)) child_of.push_back(order[at(part)] - children.first);
        return child_of;
    }

    /// The better of parts that are grown from the rim and from the middle.
    std::vector<int> cut(const Traffic &traffic, const std::vector<int> &room, const std::vector<int> &fixed) const {
        auto one = improved(traffic, room, fixed, grown(traffic, room, fixed, Seeds::least));
        auto other = improved(traffic, room, fixed, grown(traffic, room, fixed, Seeds::most));
        return between_groups(traffic, other) < between_groups(traffic, one) ? other : one;
    }

    /// The greatest first, so that ranks that are fewer than slots are on few nodes.
    std::vector<int> by_room(int level, Slots children) const {
        std::vector<int> order(at(children.count()));
        std::iota(order.begin(), order.end(), children.first);
        std::ranges::stable_sort(order, std::greater<>(), [&](int child) { return free_below(level + 1, child); });
        return order;
    }

    int free_below(int level, int node) const {
        const auto [first, end] = problem_.tree.slots_of(level, node);
        return static_cast<int>(std::count(problem_.in_use.begin() + first, problem_.in_use.begin() + end, false));
    }

    /// With swaps between parts, and into what is left of their room.
    std::vector<int> improved(const Traffic &traffic, const std::vector<int> &room, const std::vector<int> &fixed,
                              std::vector<int> part_of) const {
        std::vector<int> children, part_of_child, next;
        int slots = 0;
        for (std::size_t part = 0; part < room.size(); ++part) {
            next.push_back(slots);
            slots += room[part];
            if (room[part] == 0) continue;
            children.push_back(room[part]);
            part_of_child.push_back(static_cast<int>(part));
        }
        const Tree tree = Tree::of({{static_cast<int>(children.size())}, children}, {1, 0}).value();
        std::vector<int> kinds(at(slots), 0);
        Mapping mapping;
        for (std::size_t i = 0; i < part_of.size(); ++i) {
            mapping.push_back(next[at(part_of[i])]++);
            if (fixed[i] != no_part) kinds[at(mapping.back())] = -1;
        }
        swap_slots(tree, traffic, kinds, mapping, steps_);
        for (std::size_t i = 0; i < part_of.size(); ++i) part_of[i] = part_of_child[at(tree.node(1, mapping[i]))];
        return part_of;
    }

    const Problem &problem_;
    Steps &steps_;
    Mapping mapping_;
};

}

Mapping tree_match(const Problem &problem, Steps &steps) {
    const auto children = even_children(problem.tree);
    const bool is_free = problem.free_slots() == problem.tree.slots() &&
                         std::ranges::all_of(problem.fixed, [](int slot) { return slot == nowhere; });
    if (!children || !is_free) return TopDown(problem, steps).run();
    const Traffic filled = problem.traffic.with_idle(problem.tree.slots());
    Mapping best;
    double least = 0;
    for (const auto &way : {*children, in_factors(*children)}) {
        Mapping mapping = from_the_bottom_up(filled, way, steps);
        mapping.resize(at(problem.ranks()));
        const double costs = cost(problem.tree, problem.traffic, mapping);
        if (best.empty() || costs < least) {
            best = std::move(mapping);
            least = costs;
        }
    }
    return best;
}

Mapping tree_match(const Problem &problem, std::int64_t most_steps) {
    Steps steps(most_steps);
    return tree_match(problem, steps);
}

}
