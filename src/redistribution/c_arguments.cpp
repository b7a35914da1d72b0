// SPDX-License-Identifier: BSD-3-Clause
#include "redistribution/c_arguments.hpp"

#include <algorithm>

namespace nereus::redistribution {

Result<std::int64_t> extent_of(MPI_Datatype type) {
    MPI_Aint lower = 0, extent = 0;
    if (type == MPI_DATATYPE_NULL || MPI_Type_get_extent(type, &lower, &extent) != MPI_SUCCESS || lower != 0 ||
        extent < 1)
        return failed(NEREUS_ERR_ARGUMENT, "the datatype must have lower bound 0 and an extent of at least 1 byte");
    return extent;
}

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
    }
    if (auto done = plan::check(shape); !done) return failed(NEREUS_ERR_ARGUMENT, done.error().what);
    return shape;
}

std::int64_t most_elements_of(std::int64_t extent) { return std::min(plan::most_elements, INT64_MAX / extent); }

}
