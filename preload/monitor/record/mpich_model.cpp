// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpich_model.hpp"

#include "record/mpich_reductions.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace nereus::monitor {
namespace {

/// Ranks as they are seen from the root, where the tree is the same for all roots.
class FromRoot {
public:
    explicit FromRoot(const CollectiveCall &call) : ranks_(call.ranks), root_(call.root) {
        own_ = (call.rank - root_ + ranks_) % ranks_;
    }
    int own() const { return own_; }
    int rank(int relative) const { return (relative + root_) % ranks_; }

    /// As many as the subtree below a place in a binomial tree may have, itself included.
    int reach() const {
        return own_ == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks_))) : own_ & -own_;
    }
    int parent() const { return own_ & (own_ - 1); }

    /// Of a binomial tree, the greatest subtree first; `take` gets the child and how many are in its subtree.
    template <class Take> void each_child(Take take) const {
        for (int mask = reach() / 2; mask > 0; mask /= 2)
            if (own_ + mask < ranks_) take(own_ + mask, std::min(mask, ranks_ - own_ - mask));
    }
    int own_subtree() const { return std::min(reach(), ranks_ - own_); }

private:
    int ranks_, root_, own_ = 0;
};

bool is_power_of_two(int ranks) { return std::has_single_bit(static_cast<unsigned>(ranks)); }

void disseminate(const CollectiveCall &call, const TakeSent &take) {
    for (int distance = 1; distance < call.ranks; distance *= 2) take((call.rank + distance) % call.ranks, 0);
}

/// Each has its own part; in the end all have all.
void ring(const CollectiveCall &call, const TakeSent &take) {
    for (int step = 0; step + 1 < call.ranks; ++step)
        take((call.rank + 1) % call.ranks, call.size_of((call.rank - step + call.ranks) % call.ranks));
}

void double_recursively(const CollectiveCall &call, const TakeSent &take) {
    for (int mask = 1; mask < call.ranks; mask *= 2) take(call.rank ^ mask, call.sum_of(call.rank & -mask, mask));
}

void bruck(const CollectiveCall &call, const TakeSent &take) {
    for (int distance = 1; distance < call.ranks; distance *= 2)
        take((call.rank - distance + call.ranks) % call.ranks,
             call.sum_of(call.rank, std::min(distance, call.ranks - distance)));
}

void allgather(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take) {
    const std::uint64_t total = call.sum_of(0, call.ranks);
    if (total < limits.allgather_long_msg_size && is_power_of_two(call.ranks)) return double_recursively(call, take);
    if (total < limits.allgather_short_msg_size) return bruck(call, take);
    ring(call, take);
}

/// The parts into which a broadcast is cut: of equal size, but that the last ones may be short or empty.
std::vector<std::uint64_t> parts_of(std::uint64_t bytes, int ranks) {
    const std::uint64_t part = (bytes + static_cast<std::uint64_t>(ranks) - 1) / static_cast<std::uint64_t>(ranks);
    std::vector<std::uint64_t> parts;
    for (int i = 0; i < ranks; ++i) {
        const std::uint64_t begin = std::min(bytes, part * static_cast<std::uint64_t>(i));
        parts.push_back(std::min(part, bytes - begin));
    }
    return parts;
}

void scatter_and_allgather(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take) {
    const FromRoot tree(call);
    CollectiveCall parts = call;
    parts.sizes = parts_of(call.sizes.front(), call.ranks);
    parts.rank = tree.own();
    tree.each_child([&](int child, int in_subtree) {
        if (const std::uint64_t bytes = parts.sum_of(child, in_subtree)) take(tree.rank(child), bytes);
    });
    const auto from_here = [&](int relative, std::uint64_t bytes) { take(tree.rank(relative), bytes); };
    if (call.sizes.front() < limits.bcast_long_msg_size && is_power_of_two(call.ranks))
        double_recursively(parts, from_here);
    else
        ring(parts, from_here);
}

void bcast(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take) {
    const std::uint64_t bytes = call.sizes.front();
    const bool is_small = static_cast<std::uint64_t>(call.ranks) < limits.bcast_min_procs;
    if (bytes >= limits.bcast_short_msg_size && !is_small) return scatter_and_allgather(call, limits, take);
    const FromRoot tree(call);
    tree.each_child([&](int child, int) { take(tree.rank(child), bytes); });
}

void gather(const CollectiveCall &call, const TakeSent &take) {
    const FromRoot tree(call);
    if (tree.own() != 0) take(tree.rank(tree.parent()), call.sum_of(call.rank, tree.own_subtree()));
}

void scatter(const CollectiveCall &call, const TakeSent &take) {
    const FromRoot tree(call);
    tree.each_child(
        [&](int child, int in_subtree) { take(tree.rank(child), call.sum_of(tree.rank(child), in_subtree)); });
}

/// A message to each rank, or log2 of them that carry what goes through this rank too.
void alltoall(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take) {
    constexpr int few = 8;
    const std::uint64_t bytes = call.sizes.front();
    if (bytes > limits.alltoall_short_msg_size || call.ranks <= few) {
        for (int distance = 1; distance < call.ranks; ++distance) take((call.rank + distance) % call.ranks, bytes);
        return;
    }
    for (int distance = 1; distance < call.ranks; distance *= 2) {
        std::uint64_t carried = 0;
        for (int part = 1; part < call.ranks; ++part) carried += (part & distance) != 0;
        take((call.rank + distance) % call.ranks, carried * bytes);
    }
}

void scan(const CollectiveCall &call, const TakeSent &take) {
    for (int mask = 1; mask < call.ranks; mask *= 2)
        if ((call.rank ^ mask) < call.ranks) take(call.rank ^ mask, call.sizes.front());
}

}

std::uint64_t CollectiveCall::sum_of(int first, int number) const {
    std::uint64_t sum = 0;
    for (int i = 0; i < number; ++i) sum += size_of((first + i) % ranks);
    return sum;
}

void sent_by_mpich(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take) {
    if (call.ranks < 2) return;
    switch (call.call) {
    case Call::barrier:
        return disseminate(call, take);
    case Call::bcast:
        return bcast(call, limits, take);
    case Call::gather:
        return gather(call, take);
    case Call::scatter:
        return scatter(call, take);
    case Call::allgather:
        return allgather(call, limits, take);
    case Call::alltoall:
        return alltoall(call, limits, take);
    case Call::reduce:
        return reduce_as_mpich(call, limits, take);
    case Call::allreduce:
        return allreduce_as_mpich(call, limits, take);
    case Call::reduce_scatter:
        return reduce_scatter_as_mpich(call, limits, take);
    case Call::scan:
    case Call::exscan:
        return scan(call, take);
    default:
        return;
    }
}

}
