// SPDX-License-Identifier: BSD-3-Clause
// What functions of the C API are given about arrays, checked, as the rooms below know it.
#pragma once

#include "plan/distribution.hpp"

#include <nereus/nereus.h>

#include <cstdint>

namespace nereus::redistribution {

/// Bytes from one element to the next; NEREUS_ERR_ARGUMENT where elements do not lie in a row.
Result<std::int64_t> extent_of(MPI_Datatype type);

/// Of an array over so many processes. Fields that say nothing with this layout are not looked at.
Result<plan::Distribution> distribution_of(const nereus_distribution &distribution, std::int64_t elements,
                                           int processes);
/// Of an array of a job, which may be resized to any number of processes.
Result<plan::Shape> shape_for_all_sizes(const nereus_distribution &distribution, std::int64_t elements);

/// Whether an array that is distributed in one way can get the other one.
Done check_pair(const plan::Distribution &from, const plan::Distribution &to);

/// Whether a matrix that is distributed in one way can be transposed to the other one.
Done check_transposed(const plan::Distribution &from, const plan::Distribution &to);

/// How many elements there may be: places are counted in bytes too.
std::int64_t most_elements_of(std::int64_t extent);

}
