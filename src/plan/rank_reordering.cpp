// SPDX-License-Identifier: BSD-3-Clause
#include "plan/rank_reordering.hpp"

#include "base/index.hpp"
#include "plan/mapping/problem.hpp"
#include "plan/mapping/refine.hpp"
#include "plan/mapping/treematch.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace nereus::plan {
namespace {

using mapping::Mapping;
using mapping::Problem;
using mapping::Traffic;

/// All ranks of a job wait meanwhile: together some 50 ms, for each of two refinings and one grouping.
constexpr std::int64_t steps_of_each = 10'000'000;

std::vector<int> ranks_on(const HostNumbers &host_of_rank) {
    std::vector<int> ranks;
    for (const int host : host_of_rank) {
        if (host >= std::ssize(ranks)) ranks.resize(at(host) + 1);
        ++ranks[at(host)];
    }
    return ranks;
}

/// The slot of each rank in its host, which has its slots in a row.
Mapping mapping_of(const HostNumbers &host_of_rank, const std::vector<int> &ranks_of_host) {
    std::vector<int> next(ranks_of_host.size(), 0);
    for (std::size_t host = 1; host < next.size(); ++host) next[host] = next[host - 1] + ranks_of_host[host - 1];
    Mapping mapping;
    for (const int host : host_of_rank) mapping.push_back(next[at(host)]++);
    return mapping;
}

HostNumbers hosts_of(const mapping::Tree &tree, const Mapping &mapping) {
    HostNumbers hosts;
    for (const int slot : mapping) hosts.push_back(tree.node(1, slot));
    return hosts;
}

/// The two hosts exchange their ranks, where rank 0 is not on its own.
HostNumbers with_rank_0_on(int host, HostNumbers host_of_rank) {
    const int other = host_of_rank.front();
    for (int &each : host_of_rank) each = each == other ? host : each == host ? other : each;
    return host_of_rank;
}

/// Hosts without ranks get none and would be nodes without slots.
HostNumbers without_gaps(const HostNumbers &host_of_rank, std::vector<int> &number_of) {
    const std::vector<int> ranks = ranks_on(host_of_rank);
    std::vector<int> dense(ranks.size(), 0);
    for (std::size_t host = 0; host < ranks.size(); ++host) {
        if (ranks[host] == 0) continue;
        dense[host] = static_cast<int>(number_of.size());
        number_of.push_back(static_cast<int>(host));
    }
    HostNumbers hosts;
    for (const int host : host_of_rank) hosts.push_back(dense[at(host)]);
    return hosts;
}

/// Whether a host can have the ranks that another one was to have; that of rank 0 keeps its own.
bool may_have(const std::vector<int> &ranks_of_host, int host, int set, int host_of_rank_0) {
    if (host == host_of_rank_0 || set == host_of_rank_0) return host == set;
    return host < std::ssize(ranks_of_host) && ranks_of_host[at(host)] == ranks_of_host[at(set)];
}

/// The host of each set: by `pairs` of host and set; the others keep theirs, or get one that is left over.
std::vector<int> settled(const std::vector<int> &ranks_of_host, const std::vector<Overlap> &pairs) {
    const int none = -1, hosts = static_cast<int>(std::ssize(ranks_of_host));
    std::vector<int> host_of_set(ranks_of_host.size(), none);
    std::vector<bool> taken(ranks_of_host.size(), false);
    const auto take = [&](int host, int set) {
        host_of_set[at(set)] = host;
        taken[at(host)] = true;
    };
    for (const Overlap &pair : pairs) take(pair.source, pair.drain);
    for (int set = 0; set < hosts; ++set)
        if (host_of_set[at(set)] == none && !taken[at(set)]) take(set, set);
    for (int set = 0; set < hosts; ++set)
        for (int host = 0; host < hosts && host_of_set[at(set)] == none; ++host)
            if (!taken[at(host)] && ranks_of_host[at(host)] == ranks_of_host[at(set)]) take(host, set);
    return host_of_set;
}

/// Processes of each host that are no drain yet, sources before newcomers.
class Open {
public:
    Open(const Sizes &sizes, const HostNumbers &host_of_source, const HostNumbers &host_of_newcomer)
        : sources_(hosts(host_of_source, host_of_newcomer)), newcomers_(sources_.size()) {
        const std::vector<bool> going_on = sizes.going_on();
        for (int source = sizes.sources - 1; source >= 0; --source)
            if (going_on[at(source)]) sources_[at(host_of_source[at(source)])].push_back(source);
        for (int newcomer = static_cast<int>(std::ssize(host_of_newcomer)) - 1; newcomer >= 0; --newcomer)
            newcomers_[at(host_of_newcomer[at(newcomer)])].push_back(newcomer);
    }

    void take_source(int source, int host) { std::erase(sources_[at(host)], source); }
    void take_newcomer(int newcomer, int host) { std::erase(newcomers_[at(host)], newcomer); }

    /// Makes the next process of the host the drain.
    void settle(Sizes &sizes, int drain, int host) {
        auto &sources = sources_[at(host)], &newcomers = newcomers_[at(host)];
        if (!sources.empty()) {
            sizes.kept[at(drain)] = sources.back();
            sources.pop_back();
        } else {
            sizes.newcomers_as[at(newcomers.back())] = drain;
            newcomers.pop_back();
        }
    }

private:
    static std::size_t hosts(const HostNumbers &one, const HostNumbers &other) {
        int most = -1;
        for (const HostNumbers *numbers : {&one, &other})
            for (const int host : *numbers) most = std::max(most, host);
        return at(most + 1);
    }

    std::vector<std::vector<int>> sources_, newcomers_;
};

/// Sources that stay on their host as a drain with which they share most.
std::vector<Overlap> staying_on_host(const Sizes &sizes, const std::vector<Overlap> &overlaps,
                                     const HostNumbers &host_of_source, const HostNumbers &wanted) {
    const std::vector<bool> going_on = sizes.going_on();
    std::vector<Overlap> open;
    for (const Overlap &pair : overlaps)
        if (going_on[at(pair.source)] && pair.source != 0 && pair.drain != 0 &&
            host_of_source[at(pair.source)] == wanted[at(pair.drain)])
            open.push_back(pair);
    return heaviest_matching(open, 10'000'000).pairs;
}

/// What each rank has with others, the most first.
std::vector<std::vector<double>> heaviest_first(const Traffic &traffic) {
    std::vector<std::vector<double>> of_rank;
    for (int rank = 0; rank < traffic.ranks(); ++rank) {
        std::vector<double> &bytes = of_rank.emplace_back();
        for (const mapping::Peer &peer : traffic.peers(rank)) bytes.push_back(peer.bytes);
        std::ranges::sort(bytes, std::greater<>());
    }
    return of_rank;
}

}

double between_hosts(const Traffic &traffic, const HostNumbers &host_of_rank) {
    double sum = 0;
    for (const mapping::Pair &pair : traffic.pairs())
        if (host_of_rank[at(pair.a)] != host_of_rank[at(pair.b)]) sum += pair.bytes;
    return sum;
}

double least_between_hosts(const Traffic &traffic, const HostNumbers &host_of_rank) {
    const std::vector<int> ranks = ranks_on(host_of_rank);
    const auto heaviest = heaviest_first(traffic);
    double ends = 0; // of pairs, each of which has two
    for (const auto &bytes : heaviest) ends = std::accumulate(bytes.begin(), bytes.end(), ends);
    for (int others = 1; others < *std::ranges::max_element(ranks); ++others) {
        std::ptrdiff_t have_as_many = 0;
        for (const int on_host : ranks) have_as_many += on_host > others ? on_host : 0;
        std::vector<double> next;
        for (const auto &bytes : heaviest)
            if (others <= std::ssize(bytes)) next.push_back(bytes[at(others - 1)]);
        std::ranges::sort(next, std::greater<>());
        next.resize(at(static_cast<int>(std::min(have_as_many, std::ssize(next)))));
        ends -= std::accumulate(next.begin(), next.end(), 0.0);
    }
    return ends / 2;
}

HostNumbers placed_by(const Traffic &traffic, const HostNumbers &host_of_rank) {
    std::vector<int> number_of;
    const HostNumbers usual = without_gaps(host_of_rank, number_of);
    if (number_of.size() < 2) return host_of_rank;
    const std::vector<int> ranks = ranks_on(usual);
    const Mapping as_it_is = mapping_of(usual, ranks);
    const auto tree = mapping::Tree::of({{static_cast<int>(std::ssize(ranks))}, ranks}, {1, 0});
    if (!tree) return host_of_rank;
    Problem problem{*tree, traffic, std::vector<bool>(usual.size(), false),
                    std::vector<int>(usual.size(), mapping::nowhere)};
    const bool are_alike = std::ranges::all_of(ranks, [&](int number) { return number == ranks.front(); });
    // Where hosts are alike, rank 0 gets its own back behind it: a fixed rank keeps TreeMatch from grouping upwards.
    if (!are_alike) problem.fixed.front() = as_it_is.front();
    HostNumbers best = usual;
    for (const Mapping &mapping : {refined(problem, as_it_is, steps_of_each),
                                   refined(problem, tree_match(problem, steps_of_each), steps_of_each)}) {
        const HostNumbers hosts = with_rank_0_on(usual.front(), hosts_of(*tree, mapping));
        if (between_hosts(traffic, hosts) < between_hosts(traffic, best)) best = hosts;
    }
    for (int &host : best) host = number_of[at(host)];
    return best;
}

HostNumbers with_least_moved(const HostNumbers &host_of_drain, const std::vector<Overlap> &overlaps,
                             const HostNumbers &host_of_source) {
    const std::vector<int> ranks = ranks_on(host_of_drain);
    std::map<std::pair<int, int>, std::int64_t> shared; // bytes that a host has of what a set of ranks will have
    for (const Overlap &pair : overlaps) {
        const int host = host_of_source[at(pair.source)], set = host_of_drain[at(pair.drain)];
        if (may_have(ranks, host, set, host_of_drain.front())) shared[{host, set}] += pair.bytes;
    }
    std::vector<Overlap> pairs;
    for (const auto &[of, bytes] : shared) pairs.push_back({of.first, of.second, bytes});
    std::vector<int> host_of_set = settled(ranks, heaviest_matching(pairs).pairs);
    HostNumbers hosts;
    for (const int set : host_of_drain) hosts.push_back(host_of_set[at(set)]);
    return hosts;
}

Sizes with_order(const Sizes &sizes, const std::vector<Overlap> &overlaps, const HostNumbers &host_of_source,
                 const HostNumbers &host_of_newcomer, const HostNumbers &wanted) {
    Sizes ordered = sizes;
    ordered.kept.assign(sizes.anew ? 0 : at(sizes.drains), -1);
    ordered.newcomers_as.assign(host_of_newcomer.size(), -1);
    Open open(sizes, host_of_source, host_of_newcomer);
    if (sizes.anew) {
        ordered.newcomers_as.front() = 0;
        open.take_newcomer(0, wanted.front());
    } else {
        ordered.kept.front() = 0;
        open.take_source(0, wanted.front());
        for (const Overlap &pair : staying_on_host(sizes, overlaps, host_of_source, wanted)) {
            ordered.kept[at(pair.drain)] = pair.source;
            open.take_source(pair.source, wanted[at(pair.drain)]);
        }
    }
    for (int drain = 1; drain < sizes.drains; ++drain)
        if (sizes.anew || ordered.kept[at(drain)] < 0) open.settle(ordered, drain, wanted[at(drain)]);
    return ordered;
}

std::int64_t moved_between_hosts(const std::vector<Overlap> &overlaps, const HostNumbers &host_of_source,
                                 const HostNumbers &host_of_drain) {
    std::int64_t bytes = 0;
    for (const Overlap &pair : overlaps)
        if (host_of_source[at(pair.source)] != host_of_drain[at(pair.drain)]) bytes += pair.bytes;
    return bytes;
}

}
