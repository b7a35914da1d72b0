// SPDX-License-Identifier: BSD-3-Clause
// How one global array lies over the ranks of one generation.
#pragma once

#include "plan/block_cyclic.hpp"
#include "plan/layout.hpp"

#include <cstdint>
#include <vector>

namespace nereus::plan {

/// Of a matrix.
struct MatrixSides {
    std::int64_t rows;
    std::int64_t columns;
    bool operator==(const MatrixSides &) const = default;
};

/// An array over `ranks` processes; every question is answered in O(1), or in O(log ranks) where ranks differ in
/// weight.
class Distribution {
public:
    /// @param shape  of which check() says that so many processes fill it
    Distribution(Shape shape, int ranks);
    Distribution(Layout layout, std::int64_t elements, int ranks) : Distribution(Shape{layout, elements}, ranks) {}

    /// Contiguous ranges that end where the next ones begin: `borders` are those of ranks 0 .. n-1, then the number of
    /// elements; they begin with 0 and never fall (check_borders).
    static Distribution at(std::vector<std::int64_t> borders);

    /// The same ranges of a contiguous array that has `halo` elements more, as the row starts of a sparse matrix have
    /// one more than it has rows. Each rank's part holds its own elements and the `halo` elements behind them, which
    /// the next ranks own; the last rank owns all up to the end.
    Distribution with_halo(std::int64_t halo) const;

    const Shape &shape() const { return shape_; }
    Layout layout() const { return shape_.layout; }
    int ranks() const { return ranks_; }
    std::int64_t elements() const { return shape_.elements + halo_; }
    std::int64_t halo() const { return halo_; }

    /// Whether each part is one range of global numbers.
    bool contiguous() const { return layout() != Layout::cyclic && layout() != Layout::grid; }

    std::int64_t count_of(int rank) const;

    /// Grid: of the matrix that is the part of `rank`.
    MatrixSides sides_of(int rank) const;

    /// Contiguous: what lies in the part of `rank`, with its halo.
    Range range_of(int rank) const;
    /// Contiguous, not replicated: what at() would be given, without a halo.
    std::vector<std::int64_t> borders() const;
    /// Contiguous, not replicated: what lies in the part of `rank` and is sent from there.
    Range owned_by(int rank) const;
    /// Contiguous, not replicated: the rank that owns `element`, which must be in 0 .. elements()-1.
    int rank_of(std::int64_t element) const;

    /// Contiguous, not replicated: the ranks that own something of `range`, which lies within the array, and those that
    /// have something of it in their parts; ascending, O(their number) questions.
    std::vector<int> owners_of(Range range) const;
    std::vector<int> holders_of(Range range) const;

    /// Owner of `element`, and where it lies there; rank 0 of a replicated array.
    Spot place_of(std::int64_t element) const;

    BlockCyclic deal() const { return {shape_.elements, shape_.block, ranks_}; } ///< cyclic
    Grid grid() const { return grid_; } ///< of processes, 1 x 1 for other layouts
    BlockCyclic deal_of_rows() const { return {shape_.rows, shape_.block_rows, grid_.rows}; }
    BlockCyclic deal_of_columns() const { return {shape_.columns, shape_.block_columns, grid_.columns}; }

private:
    std::int64_t first_of(int rank) const;
    std::int64_t weight_before(int rank) const;
    int rank_in_blocks(std::int64_t element) const;
    int rank_among_weights(std::int64_t element) const;

    Shape shape_;
    int ranks_;
    Grid grid_{1, 1};
    std::int64_t halo_ = 0;
    std::vector<std::int64_t> borders_{}; ///< of at()
    std::vector<std::int64_t> sums_{};    ///< of the weights before each, then of all
};

/// NEREUS_ERR_RANGE says what is wrong with borders for Distribution::at().
Done check_borders(const std::vector<std::int64_t> &borders);

}
