// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mapping/traffic.hpp"

#include "base/index.hpp"

#include <algorithm>
#include <numeric>

namespace nereus::plan::mapping {
namespace {

/// Sorts by rank and sums those of the same rank; the new end.
Peer *sum_equals(Peer *begin, Peer *end) {
    std::sort(begin, end, [](const Peer &a, const Peer &b) { return a.rank < b.rank; });
    Peer *last = begin;
    for (Peer *peer = begin; peer != end; ++peer) {
        if (last != begin && (last - 1)->rank == peer->rank)
            (last - 1)->bytes += peer->bytes;
        else
            *last++ = *peer;
    }
    return last;
}

}

Traffic::Traffic(int ranks, std::span<const Pair> pairs) : first_(at(ranks) + 1) {
    for (const auto &[a, b, bytes] : pairs)
        if (a != b && bytes > 0) {
            ++first_[at(a) + 1];
            ++first_[at(b) + 1];
        }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    peers_.resize(first_.back());
    auto next = first_;
    for (const auto &[a, b, bytes] : pairs)
        if (a != b && bytes > 0) {
            peers_[next[at(a)]++] = {b, bytes};
            peers_[next[at(b)]++] = {a, bytes};
        }
    Peer *end = peers_.data();
    for (std::size_t rank = 0; rank + 1 < first_.size(); ++rank) {
        Peer *begin = peers_.data() + first_[rank];
        Peer *const behind = sum_equals(begin, peers_.data() + first_[rank + 1]);
        first_[rank] = static_cast<std::size_t>(end - peers_.data());
        end = std::move(begin, behind, end);
    }
    first_.back() = static_cast<std::size_t>(end - peers_.data());
    peers_.resize(first_.back());
}

std::vector<Pair> Traffic::pairs() const {
    std::vector<Pair> all;
    all.reserve(peers_.size() / 2);
    for (int rank = 0; rank < ranks(); ++rank)
        for (const Peer &peer : peers(rank))
            if (rank < peer.rank) all.push_back({rank, peer.rank, peer.bytes});
    return all;
}

double Traffic::bytes_of(int rank) const {
    double sum = 0;
    for (const Peer &peer : peers(rank)) sum += peer.bytes;
    return sum;
}

Traffic Traffic::between(std::span<const int> group_of, int groups) const {
    std::vector<Pair> pairs;
    for (int rank = 0; rank < ranks(); ++rank)
        for (const Peer &peer : peers(rank)) {
            const int a = group_of[at(rank)], b = group_of[at(peer.rank)];
            if (rank < peer.rank && a >= 0 && b >= 0 && a != b) pairs.push_back({a, b, peer.bytes});
        }
    return {groups, pairs};
}

Traffic Traffic::among(std::span<const int> some, std::span<const int> number) const {
    std::vector<Pair> pairs;
    for (const int rank : some)
        for (const Peer &peer : peers(rank))
            if (rank < peer.rank && number[at(peer.rank)] >= 0)
                pairs.push_back({number[at(rank)], number[at(peer.rank)], peer.bytes});
    return {static_cast<int>(some.size()), pairs};
}

Traffic Traffic::with_idle(int ranks) const {
    Traffic more = *this;
    more.first_.resize(at(ranks) + 1, first_.back());
    return more;
}

}
