// SPDX-License-Identifier: BSD-3-Clause
#include "plan/layout.hpp"

#include <cmath>

namespace nereus::plan {
namespace {

Done within(const std::string &name, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value >= least && value <= most) return {};
    return failed(NEREUS_ERR_RANGE, name + " = " + std::to_string(value) + ": allowed is " + std::to_string(least) +
                                        " .. " + std::to_string(most));
}

Done check_weights(const std::vector<std::int64_t> &weights) {
    if (weights.empty()) return failed(NEREUS_ERR_RANGE, "weights = none: a weighted layout needs at least 1");
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (auto done = within("weights[" + std::to_string(i) + "]", weights[i], 1, most_weight); !done) return done;
    return {};
}

std::string grid_in_words(const Shape &shape) {
    return "grid_rows, grid_columns = " + std::to_string(shape.grid_rows) + ", " + std::to_string(shape.grid_columns);
}

Done check_matrix(const Shape &shape) {
    for (auto [name, value] : {std::pair{"rows", shape.rows}, {"columns", shape.columns}})
        if (auto done = within(name, value, 0, most_elements); !done) return done;
    for (auto [name, value] : {std::pair{"block_rows", shape.block_rows}, {"block_columns", shape.block_columns}})
        if (auto done = within(name, value, 1, most_elements); !done) return done;
    for (auto [name, value] : {std::pair{"grid_rows", shape.grid_rows}, {"grid_columns", shape.grid_columns}})
        if (auto done = within(name, value, 0, INT32_MAX); !done) return done;
    const std::string matrix = std::to_string(shape.rows) + " x " + std::to_string(shape.columns);
    if (shape.columns > 0 && shape.rows > most_elements / shape.columns)
        return failed(NEREUS_ERR_RANGE, "rows x columns = " + matrix + ": allowed are " +
                                            std::to_string(most_elements) + " elements at most");
    if (shape.rows * shape.columns == shape.elements) return {};
    return failed(NEREUS_ERR_RANGE, "elements = " + std::to_string(shape.elements) + ": a matrix of " + matrix +
                                        " has " + std::to_string(shape.rows * shape.columns));
}

}

Done check(const Shape &shape) {
    if (auto done = within("elements", shape.elements, 0, most_elements); !done) return done;
    switch (shape.layout) {
    case Layout::weighted:
        return check_weights(shape.weights);
    case Layout::cyclic:
        return within("block", shape.block, 1, most_elements);
    case Layout::grid:
        return check_matrix(shape);
    case Layout::block:
    case Layout::replicated:
        return {};
    }
    return failed(NEREUS_ERR_RANGE, "layout = " + std::to_string(static_cast<int>(shape.layout)) + ": there is none");
}

Done check(const Shape &shape, int ranks) {
    if (auto done = check(shape); !done || shape.layout != Layout::grid) return done;
    const Grid grid = grid_of(shape, ranks);
    if (std::int64_t{grid.rows} * grid.columns == ranks) return {};
    const bool fixes_both = shape.grid_rows != 0 && shape.grid_columns != 0;
    return failed(NEREUS_ERR_RANGE, grid_in_words(shape) + ": allowed are numbers " +
                                        (fixes_both ? "with the product " : "that divide ") + std::to_string(ranks) +
                                        ", the processes, or 0");
}

Done check_for_all_sizes(const Shape &shape) {
    if (auto done = check(shape); !done) return done;
    if (shape.grid_rows <= 1 && shape.grid_columns <= 1 && shape.grid_rows + shape.grid_columns <= 1) return {};
    return failed(NEREUS_ERR_RANGE, grid_in_words(shape) +
                                        ": allowed for arrays of a job are 0, 0 and 1, 0 and 0, 1, which processes of "
                                        "any number fill");
}

Grid grid_of(int ranks) {
    int rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
    while (ranks % rows != 0) --rows;
    return {rows, ranks / rows};
}

Grid grid_of(const Shape &shape, int ranks) {
    if (shape.grid_rows == 0 && shape.grid_columns == 0) return grid_of(ranks);
    return {shape.grid_rows == 0 ? ranks / shape.grid_columns : shape.grid_rows,
            shape.grid_columns == 0 ? ranks / shape.grid_rows : shape.grid_columns};
}

}
