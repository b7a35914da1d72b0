// SPDX-License-Identifier: BSD-3-Clause
// What functions of the C API are given about arrays, checked, as the rooms below know it.
#pragma once

#include "plan/distribution.hpp"

#include <nereus/nereus.h>

#include <cstdint>

namespace nereus::redistribution {

/// Bytes from one element to the next; NEREUS_ERR_ARGUMENT where elements do not lie in a row.
Result<std::int64_t> extent_of(MPI_Datatype type);

/// Fields that say nothing with this layout are not looked at.
Result<plan::Shape> shape_of(const nereus_distribution &distribution, std::int64_t elements);

/// Whether an array that is distributed in one way can get the other one.
Done check_pair(const plan::Distribution &from, const plan::Distribution &to);

/// How many elements there may be: places are counted in bytes too.
std::int64_t most_elements_of(std::int64_t extent);

}
