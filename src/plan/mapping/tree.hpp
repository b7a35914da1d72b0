// SPDX-License-Identifier: BSD-3-Clause
// A machine as a tree: switches, hosts, packages ... down to the slots, each of which has room for one rank.
//
// The distance of two slots is the sum of the costs of the links on the way from one to the other, up to the node where
// they meet and down again. All slots lie at the same depth, and all links below one level cost the same: a distance is
// a matter of the level at which two slots meet.
#pragma once

#include "base/error.hpp"
#include "base/index.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace nereus::plan::mapping {

inline constexpr int most_slots_of_tree = 1 << 24;

/// Slots `first` .. `end` - 1.
struct Slots {
    int first;
    int end;
    int count() const { return end - first; }
};

class Tree {
public:
    /// @param children  level by level from the root, of each node: how many children it has
    /// @param costs     level by level: of a byte on a link from a node of the level to one of its children
    ///
    /// NEREUS_ERR_ARGUMENT naming the level that is wrong; also where the greatest numbers of children of all levels
    /// multiply to more than 2^64.
    static Result<Tree> of(const std::vector<std::vector<int>> &children, std::vector<double> costs);

    /// A tree whose nodes of a level all have the same number of children; the numbers are above 0.
    static Tree even(const std::vector<int> &children, std::vector<double> costs);

    /// Levels of links; nodes have the levels 0 (the root) .. levels() (the slots).
    int levels() const { return static_cast<int>(costs_.size()); }
    int slots() const { return static_cast<int>(node_of_slot_.back().size()); }
    int nodes(int level) const { return static_cast<int>(slots_of_[at(level)].size()); }
    int node(int level, int slot) const { return node_of_slot_[at(level)][at(slot)]; }
    Slots slots_of(int level, int node) const { return slots_of_[at(level)][at(node)]; }
    /// Nodes of the next level below a node.
    Slots children_of(int level, int node) const;
    const std::vector<double> &costs() const { return costs_; }

    double distance(int a, int b) const { return distance_of_bits_[at(std::bit_width(way_[at(a)] ^ way_[at(b)]))]; }
    /// Of two slots whose lowest common node is of this level.
    double distance_at(int level) const { return distance_of_meeting_[at(level)]; }

    /// The same tree without what lies below a level: its nodes are the slots.
    Tree above(int level) const;

    /// What lies below a node of a level above the slots.
    Tree below(int level, int node) const;

    /// The same tree with `ranks` slots below each slot, without a distance between them.
    Tree with_slots_shared_by(int ranks) const;

private:
    std::vector<std::vector<int>> children() const;
    bool write_ways();

    std::vector<double> costs_;
    std::vector<double> distance_of_meeting_;
    std::vector<std::vector<int>> node_of_slot_; ///< by level
    std::vector<std::vector<Slots>> slots_of_;   ///< by level, of each node
    std::vector<std::uint64_t> way_; ///< of each slot: numbers of the children on the way from the root, in bits
    std::array<double, 65> distance_of_bits_{}; ///< by the highest bit in which two ways differ, from 1
};

}
