// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/failure_broadcast.hpp"

#include "mpi/waiting.hpp"

#include <vector>

namespace nereus::job {
namespace {

constexpr int tag_at_the_end = 31;

}

FailureBroadcast::FailureBroadcast(MPI_Comm sources, bool root, News news)
    : sources_(sources), root_(root), hear_(std::move(news)) {
    if (!root_) start();
}

FailureBroadcast::~FailureBroadcast() {
    if (root_)
        listen_for_the_others();
    else
        MPI_Send(nullptr, 0, MPI_BYTE, 0, tag_at_the_end, sources_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

void FailureBroadcast::listen_for_the_others() {
    int size = 0, all = 0;
    MPI_Comm_size(sources_, &size);
    std::vector<MPI_Request> others(static_cast<std::size_t>(size) - 1, MPI_REQUEST_NULL);
    for (int rank = 1; rank < size; ++rank)
        MPI_Irecv(nullptr, 0, MPI_BYTE, rank, tag_at_the_end, sources_, &others[static_cast<std::size_t>(rank) - 1]);
    while (all == 0 && !ask()) {
        MPI_Testall(size - 1, others.data(), &all, MPI_STATUSES_IGNORE);
        if (all == 0) mpi::rest();
    }
    has_bad_news_ = heard_ ? 1 : 0;
    start();
    MPI_Waitall(size - 1, others.data(), MPI_STATUSES_IGNORE);
}

std::optional<Error> FailureBroadcast::ask() {
    if (heard_) return heard_;
    if (root_) return heard_ = hear_ ? hear_() : std::nullopt;
    int told = 0;
    MPI_Test(&request_, &told, MPI_STATUS_IGNORE);
    if (told != 0 && has_bad_news_ != 0) heard_ = Error{NEREUS_ERR_PROCESS, "new processes ended"};
    return heard_;
}

}
