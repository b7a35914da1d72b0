// SPDX-License-Identifier: BSD-3-Clause
#include "applications/gather.hpp"

#include <numeric>

namespace applications {

Gather::Gather(MPI_Comm comm, std::int64_t mine) : comm_(comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    counts_.resize(static_cast<std::size_t>(size));
    places_.resize(static_cast<std::size_t>(size));
    const int count = static_cast<int>(mine);
    MPI_Allgather(&count, 1, MPI_INT, counts_.data(), 1, MPI_INT, comm);
    std::exclusive_scan(counts_.begin(), counts_.end(), places_.begin(), 0);
    all_.resize(static_cast<std::size_t>(places_.back()) + static_cast<std::size_t>(counts_.back()));
}

std::span<const double> Gather::operator()(std::span<const double> mine) {
    MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, all_.data(), counts_.data(), places_.data(),
                   MPI_DOUBLE, comm_);
    return all_;
}

}
