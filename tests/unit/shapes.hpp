// SPDX-License-Identifier: BSD-3-Clause
// Arrays of any layout, and what of them lies on each rank: the slow way, element by element.
#pragma once

#include "plan/distribution.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <vector>

namespace nereus::plan {

/// Global elements of one rank in the order in which they lie there.
using Part = std::vector<std::int64_t>;

inline std::int64_t count_of(const Part &part) { return static_cast<std::int64_t>(part.size()); }

/// Block-cyclic in one direction, dealt card by card.
inline std::vector<Part> dealt(std::int64_t elements, std::int64_t block, int ranks) {
    std::vector<Part> parts(static_cast<std::size_t>(ranks));
    for (std::int64_t i = 0; i < elements; ++i) parts[static_cast<std::size_t>(i / block % ranks)].push_back(i);
    return parts;
}

inline Part matrix_part(const Shape &shape, const Grid &grid, int rank) {
    Part part;
    const auto rows = dealt(shape.rows, shape.block_rows, grid.rows);
    const auto columns = dealt(shape.columns, shape.block_columns, grid.columns);
    for (const auto row : rows[static_cast<std::size_t>(rank / grid.columns)])
        for (const auto column : columns[static_cast<std::size_t>(rank % grid.columns)])
            part.push_back(row * shape.columns + column);
    return part;
}

inline Part part_of_shape(const Shape &shape, int ranks, int rank) {
    if (shape.layout == Layout::cyclic)
        return dealt(shape.elements, shape.block, ranks)[static_cast<std::size_t>(rank)];
    return matrix_part(shape, grid_of(shape, ranks), rank);
}

inline Part part_of(const Distribution &cut, int rank) {
    if (!cut.contiguous()) return part_of_shape(cut.shape(), cut.ranks(), rank);
    Part part;
    for (auto element = cut.range_of(rank).first; element < cut.range_of(rank).end; ++element) part.push_back(element);
    return part;
}

/// The most square one, rows or columns of processes.
inline void any_grid_for_all_sizes(Shape &shape) {
    const int kind = *rc::gen::inRange(0, 3);
    shape.grid_rows = kind == 1 ? 1 : 0;
    shape.grid_columns = kind == 2 ? 1 : 0;
}

inline Shape any_shape_of(Layout layout, std::int64_t most) {
    const auto number = rc::gen::inRange<std::int64_t>(0, most + 1);
    const auto block =
        rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 6), rc::gen::inRange<std::int64_t>(1, most + 2));
    Shape shape{layout, *number};
    if (layout == Layout::weighted)
        shape.weights = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange(1, 30)));
    if (layout == Layout::cyclic) shape.block = *block;
    if (layout == Layout::grid) {
        shape.rows = *rc::gen::inRange<std::int64_t>(0, std::min<std::int64_t>(most, 30));
        shape.columns = *rc::gen::inRange<std::int64_t>(0, most / std::max<std::int64_t>(shape.rows, 1) + 4);
        shape.block_rows = *block;
        shape.block_columns = *block;
        shape.elements = shape.rows * shape.columns;
        any_grid_for_all_sizes(shape);
    }
    return shape;
}

/// Of as many elements, of a matrix with the same sides.
inline Shape any_shape_like(const Shape &one, Layout layout) {
    Shape shape = any_shape_of(layout, one.elements);
    shape.elements = one.elements;
    if (layout != Layout::grid) return shape;
    std::vector<std::int64_t> sides{1};
    for (std::int64_t side = 2; side <= one.elements; ++side)
        if (one.elements % side == 0) sides.push_back(side);
    const bool is_matrix = one.layout == Layout::grid;
    shape.rows = is_matrix ? one.rows : *rc::gen::elementOf(sides);
    shape.columns = is_matrix ? one.columns : one.elements / shape.rows;
    return shape;
}

inline Layout any_layout() {
    return *rc::gen::element(Layout::block, Layout::replicated, Layout::weighted, Layout::cyclic, Layout::grid);
}

inline Shape any_shape(std::int64_t most) { return any_shape_of(any_layout(), most); }

/// Any ranges in rank order, empty ones too.
inline Distribution any_borders(std::int64_t elements, int ranks) {
    std::vector<std::int64_t> borders;
    for (int rank = 1; rank < ranks; ++rank) borders.push_back(*rc::gen::inRange<std::int64_t>(0, elements + 1));
    borders.push_back(0);
    std::ranges::sort(borders);
    borders.push_back(elements);
    return Distribution::at(borders);
}

inline void showValue(const Shape &shape, std::ostream &out) {
    out << "layout " << static_cast<int>(shape.layout) << " of " << shape.elements << " elements, "
        << shape.weights.size() << " weights, blocks of " << shape.block << "; " << shape.rows << " x " << shape.columns
        << " in blocks of " << shape.block_rows << " x " << shape.block_columns << " on a grid of " << shape.grid_rows
        << " x " << shape.grid_columns;
}

}
