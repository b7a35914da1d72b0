// SPDX-License-Identifier: BSD-3-Clause
// Problems of placing as rapidcheck draws them: hosts that are not alike, slots in use, ranks that are fixed.
#pragma once

#include "base/index.hpp"
#include "plan/mapping/problem.hpp"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <rapidcheck.h>

namespace nereus::plan::mapping {

/// A tree of up to 3 levels with 1 to 4 children a node.
inline Tree any_tree() {
    std::vector<std::vector<int>> children;
    std::vector<double> costs;
    int nodes = 1;
    for (int levels = *rc::gen::inRange(1, 4); levels > 0; --levels) {
        children.push_back(*rc::gen::container<std::vector<int>>(at(nodes), rc::gen::inRange(1, 5)));
        costs.push_back(*rc::gen::inRange(0, 5));
        nodes = std::accumulate(children.back().begin(), children.back().end(), 0);
    }
    return Tree::of(children, costs).value();
}

inline Traffic any_traffic(int ranks) {
    std::vector<Pair> pairs;
    for (int i = *rc::gen::inRange(0, 3 * ranks + 1); i > 0; --i)
        pairs.push_back({*rc::gen::inRange(0, ranks), *rc::gen::inRange(0, ranks),
                         static_cast<double>(*rc::gen::inRange(1, 1000))});
    return {ranks, pairs};
}

/// All ranks with all others, unlike amounts.
inline Traffic dense_traffic(int ranks) {
    std::vector<Pair> pairs;
    for (int a = 0; a < ranks; ++a)
        for (int b = 0; b < a; ++b) pairs.push_back({a, b, static_cast<double>(1 + (a * 7919 + b * 104729) % 1000)});
    return {ranks, pairs};
}

/// With at least one rank and room for all.
inline Problem any_problem() {
    Tree tree = any_tree();
    const int slots = tree.slots(), ranks = *rc::gen::inRange(1, slots + 1);
    std::vector<int> order(at(slots));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
    std::vector<bool> in_use(at(slots), false);
    for (int i = *rc::gen::inRange(0, slots - ranks + 1); i > 0; --i) in_use[at(order[order.size() - at(i)])] = true;
    std::vector<int> fixed(at(ranks), nowhere);
    for (int rank = 0; rank < ranks; ++rank)
        if (*rc::gen::inRange(0, 4) == 0) fixed[at(rank)] = order[at(rank)];
    return {std::move(tree), any_traffic(ranks), std::move(in_use), std::move(fixed)};
}

/// Ranks 0 .. blocks * size - 1 in blocks that have all their traffic inside, numbered by `order`.
inline Traffic traffic_of_blocks(int blocks, int size, const std::vector<int> &order) {
    std::vector<Pair> pairs;
    for (int block = 0; block < blocks; ++block)
        for (int i = 0; i < size; ++i)
            for (int j = 0; j < i; ++j) pairs.push_back({order[at(block * size + i)], order[at(block * size + j)], 10});
    return {blocks * size, pairs};
}

inline std::vector<int> any_order(int ranks) {
    std::vector<int> order(at(ranks));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
    return order;
}

/// Whether the ranks of each block have a node of this level for themselves.
inline bool blocks_are_together(const Tree &tree, int level, int blocks, int size, const std::vector<int> &order,
                                const Mapping &mapping) {
    for (int block = 0; block < blocks; ++block)
        for (int i = 1; i < size; ++i)
            if (tree.node(level, mapping[at(order[at(block * size + i)])]) !=
                tree.node(level, mapping[at(order[at(block * size)])]))
                return false;
    return true;
}

}
