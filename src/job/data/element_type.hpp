// SPDX-License-Identifier: BSD-3-Clause
// What elements of a datatype are called where an array is kept.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace nereus::job {

/// As in epochs::ArrayForm; "" where elements are kept as bytes.
/// @param extent  of the datatype
std::string element_type(MPI_Datatype type, std::int64_t extent);

}
