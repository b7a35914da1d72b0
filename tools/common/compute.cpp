// SPDX-License-Identifier: BSD-3-Clause
#include "tools/common/compute.hpp"

#include <mpi.h>

namespace common {

void compute(double seconds) {
    volatile double x = 1;
    for (const double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        for (int i = 0; i < 100; ++i) x = x * 0.5 + 1;
}

}
