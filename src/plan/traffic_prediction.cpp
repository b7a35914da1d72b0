// SPDX-License-Identifier: BSD-3-Clause
#include "plan/traffic_prediction.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nereus::plan {
namespace {

using mapping::Pair;
using mapping::Traffic;

/// Part of a source's work that one drain goes on with, in units of 1 / (sources * drains) of all work.
struct Heir {
    int drain;
    std::int64_t from; ///< within the source
    std::int64_t to;
};

std::vector<Heir> heirs_of(std::int64_t source, std::int64_t sources, std::int64_t drains) {
    const std::int64_t begin = source * drains, end = begin + drains;
    std::vector<Heir> heirs;
    for (std::int64_t drain = begin / sources; drain * sources < end; ++drain)
        heirs.push_back({static_cast<int>(drain), std::max(begin, drain * sources) - begin,
                         std::min(end, (drain + 1) * sources) - begin});
    return heirs;
}

/// What two sources had, by their heirs at the same places within them.
void add_heirs(const Pair &pair, int sources, int drains, std::vector<Pair> &into) {
    const std::vector<Heir> left = heirs_of(pair.a, sources, drains), right = heirs_of(pair.b, sources, drains);
    for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
        const std::int64_t common = std::min(left[i].to, right[j].to) - std::max(left[i].from, right[j].from);
        if (common > 0)
            into.push_back({left[i].drain, right[j].drain,
                            pair.bytes * static_cast<double>(common) / static_cast<double>(drains)});
        (left[i].to <= right[j].to ? i : j) += 1;
    }
}

bool are_neighbours(const Pair &pair, int sources) { return pair.b - pair.a == 1 || pair.b - pair.a == sources - 1; }

/// Each pair of neighbours has what those had whose place it takes.
void add_neighbours(const std::vector<double> &with_next, int drains, std::vector<Pair> &into) {
    const auto sources = static_cast<std::int64_t>(with_next.size());
    for (std::int64_t drain = 0; drain + 1 < drains; ++drain) {
        const auto at = std::min(drain * (sources - 1) / (drains - 1), sources - 2);
        into.push_back({static_cast<int>(drain), static_cast<int>(drain) + 1, with_next[static_cast<std::size_t>(at)]});
    }
    if (drains > 2) into.push_back({0, drains - 1, with_next.back()});
}

}

Traffic foreseen(const Traffic &sources, int drains) {
    const int ranks = sources.ranks();
    if (ranks == drains) return sources;
    const bool grows = drains > ranks;
    std::vector<double> with_next(static_cast<std::size_t>(ranks)); // of the last rank: with the first one
    std::vector<Pair> pairs;
    for (const Pair &pair : sources.pairs()) {
        if (!grows || !are_neighbours(pair, ranks))
            add_heirs(pair, ranks, drains, pairs);
        else if (ranks > 2 && pair.b - pair.a == ranks - 1)
            with_next.back() += pair.bytes;
        else
            with_next[static_cast<std::size_t>(pair.a)] += pair.bytes;
    }
    if (grows && ranks > 1) add_neighbours(with_next, drains, pairs);
    return {drains, pairs};
}

}
