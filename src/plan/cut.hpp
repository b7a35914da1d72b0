// SPDX-License-Identifier: BSD-3-Clause
// How one global array lies over the ranks of one generation.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nereus::plan {

/// Global elements [first, end).
struct Range {
    std::int64_t first = 0;
    std::int64_t end = 0;

    std::int64_t count() const { return end - first; }
    bool empty() const { return end <= first; }
    bool operator==(const Range &) const = default;
};

inline Range overlap(Range a, Range b) {
    const Range both{std::max(a.first, b.first), std::min(a.end, b.end)};
    return both.empty() ? Range{} : both;
}

enum class Layout { block, replicated };

/// An array of `elements` over `ranks` processes; every question is answered in O(1).
struct Cut {
    Layout layout = Layout::block;
    std::int64_t elements = 0;
    int ranks = 1;

    Range range_of(int rank) const {
        if (layout == Layout::replicated) return {0, elements};
        return {first_of(rank), first_of(rank + 1)};
    }

    /// Rank whose block holds `element`, which must be in 0 .. elements-1.
    int rank_of(std::int64_t element) const {
        const std::int64_t small = elements / ranks;
        const std::int64_t larger_ranks = elements % ranks;
        const std::int64_t in_larger = larger_ranks * (small + 1);
        if (element < in_larger) return static_cast<int>(element / (small + 1));
        return static_cast<int>(larger_ranks + (element - in_larger) / small);
    }

private:
    std::int64_t first_of(int rank) const {
        return rank * (elements / ranks) + std::min<std::int64_t>(rank, elements % ranks);
    }
};

}
