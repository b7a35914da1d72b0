// SPDX-License-Identifier: BSD-3-Clause
// How a global array is cut, over any number of ranks: what a user says once and what newcomers are told.
#pragma once

#include "base/error.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

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

enum class Layout {
    block,      ///< contiguous ranges in rank order, as equal as can be; the first ones have one element more
    replicated, ///< each rank holds everything
    weighted,   ///< contiguous ranges in rank order, in proportion to the ranks' weights
    cyclic,     ///< blocks of elements are dealt out in turn
    grid        ///< blocks of a matrix are dealt out in turn over a grid of ranks, in both directions
};

/// Which fields mean something depends on the layout; the others keep their defaults, so that equal shapes compare so.
struct Shape {
    Layout layout = Layout::block;
    std::int64_t elements = 0;
    std::vector<std::int64_t> weights{}; ///< weighted: rank r weighs weights[r mod their number]
    std::int64_t block = 1;              ///< cyclic: elements of a block
    /// grid: a matrix that is numbered row by row; a rank's part is its own matrix, row by row. The distribution is
    /// that of ScaLAPACK (Blackford et al., ScaLAPACK Users' Guide 1997, section 4.3), with ranks row by row in the
    /// grid and the first block on rank 0.
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t block_rows = 1;
    std::int64_t block_columns = 1;
    /// grid: of processes. 0: as many as leave none over, both 0: the most square grid.
    int grid_rows = 0;
    int grid_columns = 0;

    bool operator==(const Shape &) const = default;
};

inline constexpr std::int64_t most_elements = std::int64_t{1} << 62;
inline constexpr std::int64_t most_weight = INT32_MAX; ///< a job's sum times most_elements fits in 128 bits

/// NEREUS_ERR_RANGE says which value is not allowed, and what is. All else here relies on it.
Done check(const Shape &shape);
/// The same for an array over so many processes, which must fill the grid that is asked for.
Done check(const Shape &shape, int ranks);
/// The same for one that any number of processes may have one day.
Done check_for_all_sizes(const Shape &shape);

struct Grid {
    int rows;
    int columns;
    bool operator==(const Grid &) const = default;
};
/// The most square grid of `ranks` processes, with no more rows than columns.
Grid grid_of(int ranks);
/// The one that a matrix asks for; check() says whether they fill it.
Grid grid_of(const Shape &shape, int ranks);

}
