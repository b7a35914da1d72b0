// SPDX-License-Identifier: BSD-3-Clause
// Heaviest matchings: which sources go on as which drains so that most stays where it is.
#pragma once

#include <cstdint>
#include <vector>

namespace nereus::plan {

/// What stays if a source goes on as a drain.
struct Overlap {
    int source;
    int drain;
    std::int64_t bytes;
    bool operator==(const Overlap &) const = default;
};

/// Pairs in which no source and no drain stands twice.
struct Matching {
    std::vector<Overlap> pairs;
    bool best;          ///< no other one is heavier
    std::int64_t steps; ///< that it took to find it

    std::int64_t bytes() const;
};

/// The heaviest matching. `pairs` are in order of sources, then drains, each pair once, with bytes above 0 whose sum is
/// below 2^61.
///
/// Where drains never fall along the list, as with one contiguous array, the pairs cannot cross, and the heaviest
/// rising chain of them is the answer: O(pairs log pairs). Else shortest augmenting paths with potentials (Mehlhorn and
/// Naher, LEDA, 1999, section 7.8): O(sources (pairs + drains) log pairs) at worst, but a path looks only at what is as
/// near as its end, which is little where overlaps are local. After `most_steps` steps of that the chain, which is
/// never wrong but maybe not the heaviest, is the answer, and `best` is false.
Matching heaviest_matching(const std::vector<Overlap> &pairs, std::int64_t most_steps = 100'000'000);

}
