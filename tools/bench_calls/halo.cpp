// SPDX-License-Identifier: BSD-3-Clause
#include "halo.hpp"

#include <algorithm>

namespace calls {

namespace {

/// A square of numbers up to 32 MiB, then fewer rows.
constexpr int most_numbers = 1 << 22;

int width_of(int bytes) { return std::max(1, bytes / static_cast<int>(sizeof(double))); }
int height_of(int width) { return std::clamp(most_numbers / width, 1, width); }

}

Halo::Halo(int bytes) : width_(width_of(bytes)), height_(height_of(width_)) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank > 0) above_ = rank - 1;
    if (rank + 1 < ranks) below_ = rank + 1;
    old_.assign(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_ + 2), rank);
    next_ = old_;
}

long long Halo::work(int bytes) {
    const int width = width_of(bytes);
    return static_cast<long long>(width) * height_of(width);
}

template <class Send, class Receive, class Wait> void Halo::exchange(Send send, Receive receive, Wait wait) {
    constexpr int upwards = 1, downwards = 2;
    MPI_Request requests[4];
    receive(row(0), width_, MPI_DOUBLE, above_, downwards, MPI_COMM_WORLD, &requests[0]);
    receive(row(height_ + 1), width_, MPI_DOUBLE, below_, upwards, MPI_COMM_WORLD, &requests[1]);
    send(row(1), width_, MPI_DOUBLE, above_, upwards, MPI_COMM_WORLD, &requests[2]);
    send(row(height_), width_, MPI_DOUBLE, below_, downwards, MPI_COMM_WORLD, &requests[3]);
    wait(4, requests, MPI_STATUSES_IGNORE);
}

void Halo::exchange(Through through) {
    if (through == Through::wrappers)
        exchange(MPI_Isend, MPI_Irecv, MPI_Waitall);
    else
        exchange(PMPI_Isend, PMPI_Irecv, PMPI_Waitall);
}

void Halo::step(Through through) {
    exchange(through);
    relax();
}

double Halo::communication_share(int steps) {
    double exchanging = 0;
    const double begin = PMPI_Wtime();
    for (int number = 0; number < steps; ++number) {
        const double before = PMPI_Wtime();
        exchange(Through::nothing);
        exchanging += PMPI_Wtime() - before;
        relax();
    }
    return exchanging / (PMPI_Wtime() - begin);
}

void Halo::relax() {
    for (int number = 1; number <= height_; ++number) {
        const double *here = row(number), *up = row(number - 1), *down = row(number + 1);
        double *into = next_.data() + (here - old_.data());
        for (int column = 1; column + 1 < width_; ++column)
            into[column] = 0.25 * (up[column] + down[column] + here[column - 1] + here[column + 1]);
    }
    old_.swap(next_);
}

}
