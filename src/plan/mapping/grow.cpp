// SPDX-License-Identifier: BSD-3-Clause
#include "plan/mapping/grow.hpp"

#include "base/index.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace nereus::plan::mapping {
namespace {

/// The rank of the greatest worth; worths may rise while ranks wait.
class Waiting {
public:
    void add(int rank, double worth) { queue_.push({worth, -rank}); }
    bool empty() const { return queue_.empty(); }
    void clear() { queue_ = {}; }

    int take() {
        const int rank = -queue_.top().second;
        queue_.pop();
        return rank;
    }

private:
    std::priority_queue<std::pair<double, int>> queue_; // the lowest rank among equals
};

class Growth {
public:
    Growth(const Traffic &traffic, std::vector<int> room, std::vector<int> part_of, Seeds seeds)
        : traffic_(traffic), room_(std::move(room)), part_of_(std::move(part_of)), open_(part_of_.size()),
          with_part_(part_of_.size(), 0) {
        for (int rank = 0; rank < traffic_.ranks(); ++rank) open_[at(rank)] = traffic_.bytes_of(rank);
        order_seeds(seeds);
        left_ = static_cast<int>(std::ranges::count(part_of_, no_part));
        has_fixed_ = left_ < traffic_.ranks();
        for (int rank = 0; rank < traffic_.ranks(); ++rank)
            if (!is_open(rank)) close(rank);
    }

    std::vector<int> run() {
        for (const int part : order_of_parts()) fill(part);
        return std::move(part_of_);
    }

private:
    bool is_open(int rank) const { return part_of_[at(rank)] == no_part; }

    /// Those that have ranks already come first.
    std::vector<int> order_of_parts() {
        std::vector<int> held(room_.size(), 0);
        for (const int part : part_of_)
            if (part != no_part) ++held[at(part)];
        std::vector<int> order(room_.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_partition(order, [&](int part) { return held[at(part)] > 0; });
        for (std::size_t part = 0; part < room_.size(); ++part) room_[part] -= held[part];
        return order;
    }

    /// Ranks that send nothing come behind all.
    void order_seeds(Seeds seeds) {
        seeds_.resize(part_of_.size());
        std::iota(seeds_.begin(), seeds_.end(), 0);
        std::ranges::stable_sort(seeds_, [&](int a, int b) {
            const double one = open_[at(a)], other = open_[at(b)];
            return one == 0 || other == 0 || seeds == Seeds::most ? one > other : one < other;
        });
    }

    void fill(int part) {
        begin(part);
        for (; room_[at(part)] > 0 && left_ > 0; --room_[at(part)]) {
            const int rank = next();
            part_of_[at(rank)] = part;
            --left_;
            close(rank);
            reach_from(rank);
        }
    }

    void begin(int part) {
        for (const int rank : reached_) with_part_[at(rank)] = 0;
        reached_.clear();
        near_.clear();
        for (int rank = 0; has_fixed_ && rank < traffic_.ranks(); ++rank)
            if (part_of_[at(rank)] == part) reach_from(rank);
    }

    int next() {
        while (!near_.empty())
            if (const int rank = near_.take(); is_open(rank)) return rank;
        while (!rim_.empty())
            if (const int rank = rim_.take(); is_open(rank)) return rank;
        while (!is_open(seeds_[next_seed_])) ++next_seed_;
        return seeds_[next_seed_];
    }

    /// It is in a part now: its peers have less that is open, and are at the rim of what is not.
    void close(int rank) {
        for (const Peer &peer : traffic_.peers(rank)) {
            open_[at(peer.rank)] -= peer.bytes;
            if (!is_open(peer.rank)) continue;
            rim_.add(peer.rank, -open_[at(peer.rank)]);
            if (with_part_[at(peer.rank)] > 0) near_.add(peer.rank, worth(peer.rank));
        }
    }

    void reach_from(int rank) {
        for (const Peer &peer : traffic_.peers(rank)) {
            if (!is_open(peer.rank)) continue;
            if (with_part_[at(peer.rank)] == 0) reached_.push_back(peer.rank);
            with_part_[at(peer.rank)] += peer.bytes;
            near_.add(peer.rank, worth(peer.rank));
        }
    }

    /// What the cut of the part gets less by when the rank comes in.
    double worth(int rank) const { return with_part_[at(rank)] - open_[at(rank)]; }

    const Traffic &traffic_;
    std::vector<int> room_;
    std::vector<int> part_of_;
    std::vector<double> open_;      ///< of each rank: what it has with ranks in no part
    std::vector<double> with_part_; ///< of each rank: what it has with the part that grows
    std::vector<int> reached_;      ///< those that have anything with it
    Waiting near_, rim_;
    std::vector<int> seeds_;
    std::size_t next_seed_ = 0;
    int left_ = 0;
    bool has_fixed_ = false;
};

}

std::vector<int> grown(const Traffic &traffic, std::vector<int> room, std::vector<int> part_of, Seeds seeds) {
    return Growth(traffic, std::move(room), std::move(part_of), seeds).run();
}

}
