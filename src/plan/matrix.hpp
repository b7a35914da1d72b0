// SPDX-License-Identifier: BSD-3-Clause
// What ranks share of a matrix whose blocks are dealt out over grids of ranks: the rows that they share, crossed with
// the columns that they share.
#pragma once

#include "plan/distribution.hpp"

#include <vector>

namespace nereus::plan {

/// Columns of both ranks' own matrices.
struct Widths {
    std::int64_t from, to;
};

/// Each of the rows with each of the columns, which both are ascending, row by row.
std::vector<Strip> crossed(const std::vector<Strip> &rows, const std::vector<Strip> &columns, const Widths &widths);

/// The drains that share elements with source `source`, and the other way round; strips are the same from both sides.
std::vector<Shared> drains_of_matrix(const Distribution &before, const Distribution &after, int source);
std::vector<Shared> sources_of_matrix(const Distribution &before, const Distribution &after, int drain);

}
