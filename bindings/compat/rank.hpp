// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace nereus::compat {

inline int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

}
