// SPDX-License-Identifier: BSD-3-Clause
// A process of a job may be put to sleep when it leaves and come again when it is woken: main() of such a test.
#pragma once

#include <nereus/nereus.h>

namespace testing_mpi {

/// @param take_part  from the open to the close of one job; NEREUS_WOKEN to do it again
inline int stay_until_unwanted(int argc, char **argv, int (*take_part)(int, char **)) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level); // strategies asynchronous and thread
    while (take_part(argc, argv) == NEREUS_WOKEN) continue;
    MPI_Finalize();
    return 0;
}

}
