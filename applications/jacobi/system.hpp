// SPDX-License-Identifier: BSD-3-Clause
// A dense system of equations whose solution is known; each row is made by itself.
#pragma once

#include <cstdint>
#include <span>

namespace jacobi {

/// The absolute values beside the diagonal add up to less than this share of it, in every row: Jacobi's error falls by
/// that in each iteration at least (Saad 2003, "Iterative methods for sparse linear systems", section 4.2).
inline constexpr double contraction = 0.9;

/// Element `row` of the solution: 1, 2 .. 7.
double solution_of(std::int64_t row);

/// Fills a row of the matrix. @return its right side
double make_row(std::int64_t row, std::span<double> values);

}
