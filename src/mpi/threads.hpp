// SPDX-License-Identifier: BSD-3-Clause
// Whether more than one thread may call MPI at a time (MPI 4.0, section 11.6).
#pragma once

#include <mpi.h>

namespace nereus::mpi {

inline bool threads_are_allowed() {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

}
