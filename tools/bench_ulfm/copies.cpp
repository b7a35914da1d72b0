// SPDX-License-Identifier: BSD-3-Clause
#include "copies.hpp"

#include <mpi-ext.h>

#include <algorithm>
#include <limits>
#include <string>

namespace ulfm_bench {
namespace {

constexpr int nobody = -1;

int length(std::size_t elements) {
    if (elements > std::numeric_limits<int>::max())
        throw std::runtime_error("a block of " + std::to_string(elements) + " elements is more than MPI counts");
    return static_cast<int>(elements);
}

int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

int size_of(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size;
}

}

void check(int code) {
    if (code == MPI_SUCCESS) return;
    int kind = MPI_ERR_OTHER;
    MPI_Error_class(code, &kind);
    if (kind == MPIX_ERR_PROC_FAILED || kind == MPIX_ERR_REVOKED) throw ProcessDied();
    char text[MPI_MAX_ERROR_STRING];
    int letters = 0;
    MPI_Error_string(code, text, &letters);
    throw std::runtime_error(std::string(text, static_cast<std::size_t>(letters)));
}

void Copies::make(MPI_Comm comm, const Elements &data, std::int64_t iteration) {
    const int rank = rank_in(comm), processes = size_of(comm);
    const int above = (rank + 1) % processes, below = (rank + processes - 1) % processes;
    Set &set = sets_[1 - newest_];
    set = {-1, rank, processes, data, std::move(set.of_neighbour)};
    std::uint64_t sent = data.size(), received = 0;
    check(
        MPI_Sendrecv(&sent, 1, MPI_UINT64_T, above, 0, &received, 1, MPI_UINT64_T, below, 0, comm, MPI_STATUS_IGNORE));
    set.of_neighbour.resize(received);
    check(MPI_Sendrecv(data.data(), length(sent), MPI_UINT64_T, above, 0, set.of_neighbour.data(), length(received),
                       MPI_UINT64_T, below, 0, comm, MPI_STATUS_IGNORE));
    set.iteration = iteration;
    newest_ = 1 - newest_;
}

/// No process is ahead by two: between two copies all take part in an iteration.
void Copies::take_common(MPI_Comm comm) {
    std::int64_t common = latest().iteration;
    check(MPI_Allreduce(MPI_IN_PLACE, &common, 1, MPI_INT64_T, MPI_MIN, comm));
    if (latest().iteration != common) newest_ = 1 - newest_;
    if (common < 0 || latest().iteration != common) throw std::runtime_error("a process died before all had copies");
}

/// Ranks that have a copy of each block.
std::vector<int> Copies::holders(MPI_Comm comm, int former_processes) const {
    const auto all = static_cast<std::size_t>(former_processes);
    const int rank = rank_in(comm);
    std::vector<int> mine(2 * all, nobody), found(2 * all, nobody); // own blocks, then neighbours'
    if (latest().iteration >= 0) {
        const auto former = static_cast<std::size_t>(latest().rank);
        mine[former] = rank;
        mine[all + (former + all - 1) % all] = rank;
    }
    check(MPI_Allreduce(mine.data(), found.data(), length(found.size()), MPI_INT, MPI_MAX, comm));
    for (std::size_t block = 0; block < all; ++block) {
        if (found[block] == nobody) found[block] = found[all + block];
        if (found[block] == nobody)
            throw std::runtime_error("block " + std::to_string(block) + " is lost: two neighbours died");
    }
    found.resize(all);
    return found;
}

const Elements &Copies::copy_of(int former_rank) const {
    return former_rank == latest().rank ? latest().own : latest().of_neighbour;
}

Elements Copies::restored(MPI_Comm comm, const Blocks &blocks, const Blocks &former) const {
    const int rank = rank_in(comm);
    const std::vector<int> held_by = holders(comm, former.processes);
    const Block mine = blocks.of(rank);
    Elements part(mine.count);
    std::vector<MPI_Request> requests;
    for (int block = 0; block < former.processes; ++block) {
        const Block from = former.of(block);
        const int holder = held_by[static_cast<std::size_t>(block)];
        const Block wanted = common_part(from, mine);
        if (holder == rank && wanted.count > 0)
            std::copy_n(copy_of(block).begin() + static_cast<std::ptrdiff_t>(wanted.first - from.first), wanted.count,
                        part.begin() + static_cast<std::ptrdiff_t>(wanted.first - mine.first));
        else if (wanted.count > 0)
            check(MPI_Irecv(part.data() + (wanted.first - mine.first), length(wanted.count), MPI_UINT64_T, holder,
                            block, comm, &requests.emplace_back()));
        for (int other = 0; holder == rank && other < blocks.processes; ++other) {
            const Block piece = common_part(from, blocks.of(other));
            if (other != rank && piece.count > 0)
                check(MPI_Isend(copy_of(block).data() + (piece.first - from.first), length(piece.count), MPI_UINT64_T,
                                other, block, comm, &requests.emplace_back()));
        }
    }
    check(MPI_Waitall(length(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    return part;
}

}
