// SPDX-License-Identifier: BSD-3-Clause
// Which numbers a predefined datatype stands for.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace nereus::mpi {

struct Number {
    std::string kind;       ///< `int`, `uint`, `float`, `complex`, `bool`; "": not known, as of derived types
    std::int64_t bytes = 0; ///< of one
};

Number number_of(MPI_Datatype type);

}
