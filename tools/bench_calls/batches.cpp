// SPDX-License-Identifier: BSD-3-Clause
#include "batches.hpp"

#include "halo.hpp"

namespace calls {

Batches::Batches(int most_bytes) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    from_.resize(static_cast<std::size_t>(most_bytes) * ranks_ + 1);
    into_.resize(from_.size());
    void *shown = nullptr;
    PMPI_Win_allocate(most_bytes + 1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shown, &window_);
    PMPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
}

Batches::~Batches() {
    PMPI_Win_unlock_all(window_);
    PMPI_Win_free(&window_);
}

const std::vector<std::string> &Batches::names() {
    static const std::vector<std::string> all{"send", "alltoall", "put", "halo"};
    return all;
}

double Batches::seconds(const std::string &call, int bytes, int number, Through through) {
    if (call == "halo") halo_of(bytes);
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin = PMPI_Wtime();
    if (call == "send") send(bytes, number, through);
    if (call == "alltoall") alltoall(bytes, number, through);
    if (call == "put") put(bytes, number, through);
    if (call == "halo") halo(number, through);
    return (PMPI_Wtime() - begin) / number;
}

double Batches::communication_share(int bytes, int steps) {
    double share = halo_of(bytes).communication_share(steps);
    PMPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return share / ranks_;
}

Halo &Batches::halo_of(int bytes) {
    if (halo_bytes_ != bytes) halo_ = std::make_unique<Halo>(bytes);
    halo_bytes_ = bytes;
    return *halo_;
}

// The receiver says when it has all: a batch is over when it has arrived.
void Batches::send(int bytes, int number, Through through) {
    constexpr int tag = 1, arrived = 2;
    if (rank_ % 2 == 1) {
        for (int i = 0; i < number; ++i)
            PMPI_Recv(into_.data(), bytes, MPI_CHAR, rank_ - 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        PMPI_Send(into_.data(), 0, MPI_CHAR, rank_ - 1, arrived, MPI_COMM_WORLD);
    } else if (rank_ + 1 < ranks_) {
        if (through == Through::wrappers)
            for (int i = 0; i < number; ++i) MPI_Send(from_.data(), bytes, MPI_CHAR, rank_ + 1, tag, MPI_COMM_WORLD);
        else
            for (int i = 0; i < number; ++i) PMPI_Send(from_.data(), bytes, MPI_CHAR, rank_ + 1, tag, MPI_COMM_WORLD);
        PMPI_Recv(into_.data(), 0, MPI_CHAR, rank_ + 1, arrived, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

void Batches::alltoall(int bytes, int number, Through through) {
    for (int i = 0; i < number; ++i)
        if (through == Through::wrappers)
            MPI_Alltoall(from_.data(), bytes, MPI_CHAR, into_.data(), bytes, MPI_CHAR, MPI_COMM_WORLD);
        else
            PMPI_Alltoall(from_.data(), bytes, MPI_CHAR, into_.data(), bytes, MPI_CHAR, MPI_COMM_WORLD);
}

void Batches::put(int bytes, int number, Through through) {
    if (rank_ % 2 == 1 || rank_ + 1 >= ranks_) return;
    for (int i = 0; i < number; ++i) {
        if (through == Through::wrappers)
            MPI_Put(from_.data(), bytes, MPI_CHAR, rank_ + 1, 0, bytes, MPI_CHAR, window_);
        else
            PMPI_Put(from_.data(), bytes, MPI_CHAR, rank_ + 1, 0, bytes, MPI_CHAR, window_);
        PMPI_Win_flush(rank_ + 1, window_);
    }
}

void Batches::halo(int number, Through through) {
    for (int i = 0; i < number; ++i) halo_->step(through);
}

}
