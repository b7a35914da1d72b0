// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <nereus/nereus.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    nereus::run(MPI_COMM_WORLD, argc, argv, [](nereus::Job &job) {
        auto x = job.array<double>("x", 100, NEREUS_BLOCK, NEREUS_VARIABLE);
        std::fill(x.begin(), x.end(), 1.0);
        double sum = std::accumulate(x.begin(), x.end(), 0.0);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, job.comm());
        job.checkpoint();
        if (job.rank() == 0) std::printf("sum %g with %s, headers %d\n", sum, nereus_version(), NEREUS_VERSION_NUMBER);
    });
    MPI_Finalize();
    return 0;
}
