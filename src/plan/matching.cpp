// SPDX-License-Identifier: BSD-3-Clause
#include "plan/matching.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <utility>

namespace nereus::plan {
namespace {

constexpr int none = -1;

struct Drains {
    int first;
    int end;
};

Drains drains_in(const std::vector<Overlap> &pairs) {
    Drains drains{std::numeric_limits<int>::max(), 0};
    for (const Overlap &pair : pairs)
        drains = {std::min(drains.first, pair.drain), std::max(drains.end, pair.drain + 1)};
    return pairs.empty() ? Drains{0, 0} : drains;
}

/// Heaviest chains by the drain at which they end: the best of all that end before a drain, in O(log drains) (Fenwick
/// 1994).
class Chains {
public:
    explicit Chains(int drains) : best_(static_cast<std::size_t>(drains) + 1, {0, none}) {}

    struct Chain {
        std::int64_t bytes;
        int last; ///< number of its last pair
    };

    Chain before(int drain) const {
        Chain best{0, none};
        for (; drain > 0; drain -= drain & -drain)
            if (best_[static_cast<std::size_t>(drain)].bytes > best.bytes)
                best = best_[static_cast<std::size_t>(drain)];
        return best;
    }

    void add(int drain, const Chain &chain) {
        for (int i = drain + 1; i < static_cast<int>(best_.size()); i += i & -i)
            if (chain.bytes > best_[static_cast<std::size_t>(i)].bytes) best_[static_cast<std::size_t>(i)] = chain;
    }

private:
    std::vector<Chain> best_;
};

/// The heaviest pairs that rise in both numbers.
std::vector<Overlap> heaviest_chain(const std::vector<Overlap> &pairs) {
    const auto [first_drain, end_of_drains] = drains_in(pairs);
    Chains chains(end_of_drains - first_drain);
    std::vector<Chains::Chain> behind(pairs.size()); // the pair's own chain: all bytes, and the pair before it
    for (std::size_t first = 0, end = 0; first < pairs.size(); first = end) {
        for (; end < pairs.size() && pairs[end].source == pairs[first].source; ++end) {
            behind[end] = chains.before(pairs[end].drain - first_drain);
            behind[end].bytes += pairs[end].bytes;
        }
        for (std::size_t i = first; i < end; ++i)
            chains.add(pairs[i].drain - first_drain, {behind[i].bytes, static_cast<int>(i)});
    }
    std::vector<Overlap> chain;
    for (int i = chains.before(end_of_drains - first_drain).last; i != none;
         i = behind[static_cast<std::size_t>(i)].last)
        chain.push_back(pairs[static_cast<std::size_t>(i)]);
    std::ranges::reverse(chain);
    return chain;
}

/// Sources are numbered by their places among those that have pairs.
///
/// Invariant: worth(source) + worth(drain) >= bytes of each pair, and equal for those that are matched; a drain that is
/// free, and a source that was looked at and is free, is worth nothing.
class Assignment {
public:
    Assignment(const std::vector<Overlap> &pairs, std::int64_t most_steps) : pairs_(pairs), steps_left_(most_steps) {
        for (std::size_t i = 0; i < pairs.size(); ++i)
            if (i == 0 || pairs[i].source != pairs[i - 1].source) first_pair_.push_back(i);
        first_pair_.push_back(pairs.size());
        const auto drains = static_cast<std::size_t>(drains_in(pairs).end);
        pair_of_source_.assign(sources(), no_pair);
        source_of_drain_.assign(drains, none);
        worth_of_drain_.assign(drains, 0);
        drain_distance_.assign(drains, far);
        way_to_drain_.assign(drains, no_pair);
        for (std::size_t source = 0; source < sources(); ++source) worth_of_source_.push_back(heaviest_of(source));
    }

    /// @return nothing after too many steps
    std::optional<std::vector<Overlap>> solve() {
        for (std::size_t source = 0; source < sources(); ++source) {
            place(static_cast<int>(source));
            if (steps_left_ < 0) return std::nullopt;
        }
        std::vector<Overlap> matched;
        for (const std::size_t pair : pair_of_source_)
            if (pair != no_pair) matched.push_back(pairs_[pair]);
        return matched;
    }

    std::int64_t steps_left() const { return steps_left_; }

private:
    static constexpr std::size_t no_pair = std::numeric_limits<std::size_t>::max();
    static constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();

    struct Reached {
        std::int64_t distance;
        int drain;
        bool operator>(const Reached &other) const { return distance > other.distance; }
    };
    struct Left { // a source from which a path came, and how far it was
        int source;
        std::int64_t distance;
    };

    std::size_t sources() const { return first_pair_.size() - 1; }

    std::int64_t heaviest_of(std::size_t source) const {
        std::int64_t most = 0;
        for (std::size_t i = first_pair_[source]; i < first_pair_[source + 1]; ++i)
            most = std::max(most, pairs_[i].bytes);
        return most;
    }

    /// The shortest path from `source` to a free drain, or to a source that is set free in its place.
    void place(int source) {
        near_ = {};
        left_.clear();
        seen_.clear();
        int freed = source, free_drain = none;
        std::int64_t nearest = worth_of_source_[static_cast<std::size_t>(source)];
        leave(source, 0, nearest);
        while (!near_.empty() && near_.top().distance < nearest) {
            const auto [distance, drain] = near_.top();
            near_.pop();
            if (distance > drain_distance_[static_cast<std::size_t>(drain)]) continue; // a shorter way was found
            const int next = source_of_drain_[static_cast<std::size_t>(drain)];
            if (next == none) {
                free_drain = drain;
                nearest = distance;
                break;
            }
            const std::int64_t end = distance + worth_of_source_[static_cast<std::size_t>(next)];
            if (end < nearest) {
                nearest = end;
                freed = next;
            }
            leave(next, distance, nearest);
        }
        change_worths(nearest);
        match_along(source, freed, free_drain);
    }

    /// Looks at the pairs of a source; ways longer than `nearest` are of no use.
    void leave(int source, std::int64_t distance, std::int64_t nearest) {
        left_.push_back({source, distance});
        const auto from = static_cast<std::size_t>(source);
        for (std::size_t i = first_pair_[from]; i < first_pair_[from + 1]; ++i, --steps_left_) {
            const auto drain = static_cast<std::size_t>(pairs_[i].drain);
            const std::int64_t to = distance + worth_of_source_[from] + worth_of_drain_[drain] - pairs_[i].bytes;
            if (i == pair_of_source_[from] || to >= nearest || to >= drain_distance_[drain]) continue;
            if (drain_distance_[drain] == far) seen_.push_back(pairs_[i].drain);
            drain_distance_[drain] = to;
            way_to_drain_[drain] = i;
            near_.push({to, pairs_[i].drain});
        }
    }

    void change_worths(std::int64_t nearest) {
        for (const auto &[source, distance] : left_)
            worth_of_source_[static_cast<std::size_t>(source)] -= std::max<std::int64_t>(nearest - distance, 0);
        for (const int seen : seen_) {
            const auto drain = static_cast<std::size_t>(seen);
            worth_of_drain_[drain] += std::max<std::int64_t>(nearest - drain_distance_[drain], 0);
            drain_distance_[drain] = far;
        }
    }

    /// Every source on the path takes the drain after it. Without a free drain the last source ends without one.
    void match_along(int source, int freed, int drain) {
        if (drain == none && freed != source) {
            drain = pairs_[pair_of_source_[static_cast<std::size_t>(freed)]].drain;
            pair_of_source_[static_cast<std::size_t>(freed)] = no_pair;
        }
        while (drain != none) {
            const std::size_t pair = way_to_drain_[static_cast<std::size_t>(drain)];
            const auto taker = std::ranges::upper_bound(first_pair_, pair) - first_pair_.begin() - 1;
            const std::size_t given_up = std::exchange(pair_of_source_[static_cast<std::size_t>(taker)], pair);
            source_of_drain_[static_cast<std::size_t>(drain)] = static_cast<int>(taker);
            drain = given_up == no_pair ? none : pairs_[given_up].drain;
        }
    }

    const std::vector<Overlap> &pairs_;
    std::int64_t steps_left_;
    std::vector<std::size_t> first_pair_; ///< of each source, then of the end
    std::vector<std::size_t> pair_of_source_;
    std::vector<int> source_of_drain_;
    std::vector<std::int64_t> worth_of_source_, worth_of_drain_;
    // Of the path that is looked for:
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> near_;
    std::vector<Left> left_;
    std::vector<int> seen_;
    std::vector<std::int64_t> drain_distance_;
    std::vector<std::size_t> way_to_drain_;
};

}

std::int64_t Matching::bytes() const {
    std::int64_t sum = 0;
    for (const Overlap &pair : pairs) sum += pair.bytes;
    return sum;
}

Matching heaviest_matching(const std::vector<Overlap> &pairs, std::int64_t most_steps) {
    const auto steps_of_chain = static_cast<std::int64_t>(pairs.size());
    if (std::ranges::is_sorted(pairs, {}, &Overlap::drain)) return {heaviest_chain(pairs), true, steps_of_chain};
    Assignment assignment(pairs, most_steps);
    if (auto matched = assignment.solve()) return {std::move(*matched), true, most_steps - assignment.steps_left()};
    return {heaviest_chain(pairs), false, most_steps};
}

}
