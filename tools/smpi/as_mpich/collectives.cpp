// SPDX-License-Identifier: BSD-3-Clause
#include "collectives.hpp"

namespace smpi::as_mpich {
namespace {

constexpr int tag = 32000, peers_at_once = 32; // MPIR_CVAR_ALLTOALL_THROTTLE

int nothing_to_tell(void *, MPI_Status *) { return MPI_SUCCESS; }
int nothing_to_free(void *) { return MPI_SUCCESS; }
int nothing_to_cancel(void *, int) { return MPI_SUCCESS; }

template <class Byte> Byte *at(Byte *address, int place) { return address + place; }

}

int complete(MPI_Request *request) {
    const int code = MPI_Grequest_start(nothing_to_tell, nothing_to_free, nothing_to_cancel, nullptr, request);
    return code == MPI_SUCCESS ? MPI_Grequest_complete(*request) : code;
}

int iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               MPI_Request *request) {
    const int code = MPI_Allreduce(in, out, count, type, op, comm);
    return code == MPI_SUCCESS ? complete(request) : code;
}

int ibarrier(MPI_Comm comm, MPI_Request *request) {
    const int code = MPI_Barrier(comm);
    return code == MPI_SUCCESS ? complete(request) : code;
}

int ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
    const int code = MPI_Bcast(data, count, type, root, comm);
    return code == MPI_SUCCESS ? complete(request) : code;
}

int ialltoallw(const void *out, const int *out_counts, const int *out_places, const MPI_Datatype *out_types, void *in,
               const int *in_counts, const int *in_places, const MPI_Datatype *in_types, MPI_Comm comm,
               MPI_Request *request) {
    int ranks = 0, self = 0;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &self);
    std::vector<MPI_Request> under_way;
    for (int first = 0; first < ranks; first += peers_at_once) {
        under_way.clear();
        const int end = std::min(ranks, first + peers_at_once);
        for (int i = first; i < end; ++i)
            if (const int peer = (self + i) % ranks; in_counts[peer] > 0)
                MPI_Irecv(at(static_cast<char *>(in), in_places[peer]), in_counts[peer], in_types[peer], peer, tag,
                          comm, &under_way.emplace_back());
        for (int i = first; i < end; ++i)
            if (const int peer = (self - i + ranks) % ranks; out_counts[peer] > 0)
                MPI_Isend(at(static_cast<const char *>(out), out_places[peer]), out_counts[peer], out_types[peer], peer,
                          tag, comm, &under_way.emplace_back());
        const int count = static_cast<int>(under_way.size());
        if (const int code = MPI_Waitall(count, under_way.data(), MPI_STATUSES_IGNORE); code != MPI_SUCCESS)
            return code;
    }
    return complete(request);
}

}
