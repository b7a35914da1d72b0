// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mapping/tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nereus::plan::mapping {
namespace {

std::string level_text(std::size_t level) { return "level " + std::to_string(level) + " of the topology: "; }

/// Empty where all is as it must be.
std::string complaint_of(const std::vector<std::vector<int>> &children, const std::vector<double> &costs) {
    if (children.empty() || children.size() != costs.size()) return "a topology has a cost for each level of links";
    std::int64_t nodes = 1;
    for (std::size_t level = 0; level < children.size(); ++level) {
        if (static_cast<std::int64_t>(children[level].size()) != nodes)
            return level_text(level) + "it has " + std::to_string(nodes) + " nodes, but " +
                   std::to_string(children[level].size()) + " numbers of children";
        for (const int number : children[level])
            if (number < 1 || number > most_slots_of_tree)
                return level_text(level) + std::to_string(number) + " children: 1 .. " +
                       std::to_string(most_slots_of_tree) + " are allowed";
        nodes = std::accumulate(children[level].begin(), children[level].end(), std::int64_t{0});
        if (nodes > most_slots_of_tree)
            return level_text(level + 1) + std::to_string(nodes) + " nodes: up to " +
                   std::to_string(most_slots_of_tree) + " are allowed";
        if (!std::isfinite(costs[level]) || costs[level] < 0)
            return level_text(level) + "the cost of a link: numbers from 0 are allowed";
    }
    return {};
}

}

Result<Tree> Tree::of(const std::vector<std::vector<int>> &children, std::vector<double> costs) {
    if (std::string why = complaint_of(children, costs); !why.empty())
        return failed(NEREUS_ERR_ARGUMENT, std::move(why));
    Tree tree;
    const std::size_t levels = children.size();
    tree.costs_ = std::move(costs);
    tree.distance_of_meeting_.assign(levels + 1, 0);
    for (std::size_t level = levels; level-- > 0;)
        tree.distance_of_meeting_[level] = tree.distance_of_meeting_[level + 1] + 2 * tree.costs_[level];
    tree.slots_of_.resize(levels + 1);
    const int slots = std::accumulate(children.back().begin(), children.back().end(), 0);
    for (int slot = 0; slot < slots; ++slot) tree.slots_of_[levels].push_back({slot, slot + 1});
    for (std::size_t level = levels; level-- > 0;) {
        std::size_t child = 0;
        for (const int number : children[level]) {
            const Slots &first = tree.slots_of_[level + 1][child];
            child += static_cast<std::size_t>(number);
            tree.slots_of_[level].push_back({first.first, tree.slots_of_[level + 1][child - 1].end});
        }
    }
    for (const auto &nodes : tree.slots_of_) {
        auto &node_of = tree.node_of_slot_.emplace_back(at(slots));
        for (std::size_t node = 0; node < nodes.size(); ++node)
            for (int slot = nodes[node].first; slot < nodes[node].end; ++slot)
                node_of[at(slot)] = static_cast<int>(node);
    }
    if (!tree.write_ways())
        return failed(NEREUS_ERR_ARGUMENT, "the topology has too many levels with great numbers of children");
    return tree;
}

/// False where 64 bits are too few.
bool Tree::write_ways() {
    way_.assign(at(slots()), 0);
    int bits = 0;
    for (int level = levels() - 1; level >= 0; --level) {
        int most = 1;
        for (int node = 0; node < nodes(level); ++node) most = std::max(most, children_of(level, node).count());
        const int more = std::bit_width(static_cast<unsigned>(most - 1));
        if (bits + more > 64) return false;
        for (int slot = 0; more > 0 && slot < slots(); ++slot) {
            const int child = node(level + 1, slot) - children_of(level, node(level, slot)).first;
            way_[at(slot)] |= static_cast<std::uint64_t>(child) << bits;
        }
        for (int bit = bits + 1; bit <= bits + more; ++bit) distance_of_bits_[at(bit)] = distance_at(level);
        bits += more;
    }
    return true;
}

Tree Tree::even(const std::vector<int> &children, std::vector<double> costs) {
    std::vector<std::vector<int>> all;
    std::size_t nodes = 1;
    for (const int number : children) {
        all.emplace_back(nodes, number);
        nodes *= at(number);
    }
    return of(all, std::move(costs)).value();
}

Slots Tree::children_of(int level, int node) const {
    const Slots slots = slots_of(level, node);
    return {this->node(level + 1, slots.first), this->node(level + 1, slots.end - 1) + 1};
}

std::vector<std::vector<int>> Tree::children() const {
    std::vector<std::vector<int>> all;
    for (int level = 0; level < levels(); ++level) {
        auto &numbers = all.emplace_back();
        for (int node = 0; node < nodes(level); ++node) numbers.push_back(children_of(level, node).count());
    }
    return all;
}

Tree Tree::above(int level) const {
    auto all = children();
    all.resize(at(level));
    return of(all, {costs_.begin(), costs_.begin() + level}).value();
}

Tree Tree::below(int level, int node) const {
    std::vector<std::vector<int>> all;
    Slots nodes{node, node + 1};
    for (int lower = level; lower < levels(); ++lower) {
        auto &numbers = all.emplace_back();
        for (int each = nodes.first; each < nodes.end; ++each) numbers.push_back(children_of(lower, each).count());
        nodes = {children_of(lower, nodes.first).first, children_of(lower, nodes.end - 1).end};
    }
    return of(all, {costs_.begin() + level, costs_.end()}).value();
}

Tree Tree::with_slots_shared_by(int ranks) const {
    auto all = children();
    all.emplace_back(at(slots()), ranks);
    auto costs = costs_;
    costs.push_back(0);
    return of(all, std::move(costs)).value();
}

}
