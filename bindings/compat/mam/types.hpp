// SPDX-License-Identifier: BSD-3-Clause
// Predefined datatypes by number: handles mean nothing to another process.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace nereus::compat {

/// @return -1 where the type is none of them
std::int64_t number_of_type(MPI_Datatype type);
MPI_Datatype type_of_number(std::int64_t number);
std::int64_t bytes_of_type(MPI_Datatype type);

}
