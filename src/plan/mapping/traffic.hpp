// SPDX-License-Identifier: BSD-3-Clause
// What ranks send each other, both directions of a pair together; only pairs that send anything take memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nereus::plan::mapping {

/// Bytes between two ranks.
struct Pair {
    int a;
    int b;
    double bytes;
};

/// What a rank has with one other.
struct Peer {
    int rank;
    double bytes;
};

class Traffic {
public:
    /// @param pairs  numbers below `ranks`; those that are there twice, or the other way round, are summed, and what a
    ///               rank has with itself is left out
    Traffic(int ranks, std::span<const Pair> pairs);

    int ranks() const { return static_cast<int>(first_.size()) - 1; }
    /// In rising order of their numbers.
    std::span<const Peer> peers(int rank) const {
        const auto at = static_cast<std::size_t>(rank);
        return {peers_.data() + first_[at], first_[at + 1] - first_[at]};
    }
    /// Each pair once, a < b.
    std::vector<Pair> pairs() const;
    double bytes_of(int rank) const;

    /// What groups of ranks have with each other.
    /// @param group_of  of each rank; ranks of a number below 0 are left out
    Traffic between(std::span<const int> group_of, int groups) const;

    /// What some ranks have with each other, numbered in their order.
    /// @param number  of each rank among `some`, or -1; this is what is looked at for each peer
    Traffic among(std::span<const int> some, std::span<const int> number) const;

    /// The same with ranks that send nothing behind the others.
    Traffic with_idle(int ranks) const;

private:
    std::vector<std::size_t> first_;
    std::vector<Peer> peers_;
};

}
