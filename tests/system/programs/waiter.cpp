// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 waits for a message, while rank 1 computes for a second, and prints what part of that time it kept a core
// busy.
#include <cstdio>
#include <ctime>
#include <mpi.h>

namespace {

double seconds(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void wait_and_tell() {
    const double began = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double waited = seconds(CLOCK_MONOTONIC) - began;
    std::printf("%.3f\n", (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) / waited);
}

void compute_and_send() {
    const double end = seconds(CLOCK_MONOTONIC) + 1;
    while (seconds(CLOCK_MONOTONIC) < end) {
    }
    MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) wait_and_tell();
    if (rank == 1) compute_and_send();
    MPI_Finalize();
}
