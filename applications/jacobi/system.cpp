// SPDX-License-Identifier: BSD-3-Clause
#include "applications/jacobi/system.hpp"

#include "applications/random.hpp"

#include <cmath>
#include <cstddef>

namespace jacobi {

double solution_of(std::int64_t row) { return static_cast<double>(1 + row % 7); }

double make_row(std::int64_t row, std::span<double> values) {
    const std::uint64_t seed = applications::mixed(static_cast<std::uint64_t>(row));
    const auto diagonal = static_cast<std::size_t>(row);
    double others = 0, right_side = 0;
    for (std::size_t column = 0; column < values.size(); ++column) {
        if (column == diagonal) continue;
        values[column] = applications::fraction(seed ^ column) - 0.25;
        others += std::abs(values[column]);
        right_side += values[column] * solution_of(static_cast<std::int64_t>(column));
    }
    values[diagonal] = 1 + others / contraction;
    return right_side + values[diagonal] * solution_of(row);
}

}
