// SPDX-License-Identifier: BSD-3-Clause
#include "applications/cg/matrix_source.hpp"

#include <algorithm>

namespace cg {

void Row::clear() {
    columns.clear();
    values.clear();
}

void Row::add(std::int64_t column, double value) {
    columns.push_back(column);
    values.push_back(value);
}

tl::expected<std::int64_t, std::string> MadeMatrix::nonzeros(std::int64_t first_row, std::int64_t count) const {
    std::int64_t sum = 0;
    Row row;
    for (std::int64_t i = 0; i < count; ++i) {
        row.clear();
        make(first_row + i, row);
        sum += std::ssize(row.columns);
    }
    return sum;
}

std::string MadeMatrix::fill(const nereus_matrix &matrix) const {
    Row row;
    std::int64_t at = 0;
    matrix.starts[0] = matrix.first_nonzero;
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
        row.clear();
        make(matrix.first_row + i, row);
        std::ranges::copy(row.columns, matrix.columns + at);
        std::ranges::copy(row.values, static_cast<double *>(matrix.values) + at);
        at += std::ssize(row.columns);
        matrix.starts[i + 1] = matrix.first_nonzero + at;
    }
    return "";
}

}
