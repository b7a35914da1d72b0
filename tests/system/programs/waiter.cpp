// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 waits for a message, while rank 1 computes for a second, and prints how often it slept meanwhile: gave up its
// core until something happens, which a process that yields does not.
#include <cstdio>
#include <ctime>
#include <mpi.h>
#include <sys/resource.h>

namespace {

long sleeps() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

void wait_and_tell() {
    const long before = sleeps();
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::printf("%ld\n", sleeps() - before);
}

double seconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void compute_and_send() {
    const double end = seconds() + 1;
    while (seconds() < end) {
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
