// SPDX-License-Identifier: BSD-3-Clause
#include "redistribution/c_arguments.hpp"

#include <algorithm>

namespace nereus::redistribution {
namespace {

/// A plan between blocks in turn and a matrix has a run for each block.
constexpr std::int64_t most_blocks_to_matrix = std::int64_t{1} << 20;

Done check_blocks_to_matrix(const plan::Distribution &one, const plan::Distribution &other) {
    const bool are_runs = one.layout() == plan::Layout::cyclic && one.ranks() > 1 &&
                          other.layout() == plan::Layout::grid && other.deal_of_columns().ranks > 1;
    if (!are_runs || one.elements() / one.shape().block <= most_blocks_to_matrix) return {};
    return failed(NEREUS_ERR_ARGUMENT, "block = " + std::to_string(one.shape().block) +
                                           ": between NEREUS_CYCLIC and NEREUS_GRID allowed are " +
                                           std::to_string(most_blocks_to_matrix) + " blocks at most");
}

std::string sides_of(const plan::Shape &shape) {
    return std::to_string(shape.rows) + " x " + std::to_string(shape.columns);
}
std::string matrix_of(const plan::Shape &shape) { return "a matrix of " + sides_of(shape); }

/// Not checked.
Result<plan::Shape> shape_of(const nereus_distribution &distribution, std::int64_t elements) {
    plan::Shape shape;
    shape.layout = static_cast<plan::Layout>(distribution.layout);
    shape.elements = elements;
    if (distribution.layout == NEREUS_WEIGHTED) {
        if (distribution.weights == nullptr || distribution.weight_count < 1)
            return failed(NEREUS_ERR_ARGUMENT, "NEREUS_WEIGHTED needs weights: those of a nereus_distribution");
        shape.weights.assign(distribution.weights, distribution.weights + distribution.weight_count);
    }
    if (distribution.layout == NEREUS_CYCLIC) shape.block = distribution.block;
    if (distribution.layout == NEREUS_GRID) {
        shape.rows = distribution.rows;
        shape.columns = distribution.columns;
        shape.block_rows = distribution.block_rows;
        shape.block_columns = distribution.block_columns;
        shape.grid_rows = distribution.grid_rows;
        shape.grid_columns = distribution.grid_columns;
    }
    return shape;
}

}

Result<std::int64_t> extent_of(MPI_Datatype type) {
    MPI_Aint lower = 0, extent = 0;
    if (type == MPI_DATATYPE_NULL || MPI_Type_get_extent(type, &lower, &extent) != MPI_SUCCESS || lower != 0 ||
        extent < 1)
        return failed(NEREUS_ERR_ARGUMENT, "the datatype must have lower bound 0 and an extent of at least 1 byte");
    return extent;
}

Result<plan::Shape> shape_for_all_sizes(const nereus_distribution &distribution, std::int64_t elements) {
    auto shape = shape_of(distribution, elements);
    if (!shape) return shape;
    if (auto done = plan::check_for_all_sizes(*shape); !done) return failed(NEREUS_ERR_ARGUMENT, done.error().what);
    return shape;
}

Result<plan::Distribution> distribution_of(const nereus_distribution &distribution, std::int64_t elements,
                                           int processes) {
    auto shape = shape_of(distribution, elements);
    if (!shape) return tl::unexpected(shape.error());
    if (auto done = plan::check(*shape, processes); !done) return failed(NEREUS_ERR_ARGUMENT, done.error().what);
    return plan::Distribution(std::move(*shape), processes);
}

Done check_pair(const plan::Distribution &from, const plan::Distribution &to) {
    constexpr auto grid = plan::Layout::grid;
    if (auto done = check_blocks_to_matrix(from, to); !done) return done;
    if (auto done = check_blocks_to_matrix(to, from); !done) return done;
    const plan::Shape &before = from.shape(), &after = to.shape();
    if (before.layout != grid || after.layout != grid) return {};
    if (before.rows == after.rows && before.columns == after.columns) return {};
    return failed(NEREUS_ERR_ARGUMENT, matrix_of(before) + " cannot become one of " + sides_of(after));
}

Done check_transposed(const plan::Distribution &from, const plan::Distribution &to) {
    const plan::Shape &before = from.shape(), &after = to.shape();
    if (before.layout != plan::Layout::grid || after.layout != plan::Layout::grid)
        return failed(NEREUS_ERR_ARGUMENT, "a matrix is transposed from NEREUS_GRID to NEREUS_GRID alone");
    if (before.rows == after.columns && before.columns == after.rows) return {};
    return failed(NEREUS_ERR_ARGUMENT, matrix_of(before) + " cannot be transposed to one of " + sides_of(after));
}

std::int64_t most_elements_of(std::int64_t extent) { return std::min(plan::most_elements, INT64_MAX / extent); }

}
