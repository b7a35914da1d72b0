// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/message.hpp"

#include "mpi/patience.hpp"
#include "mpi/waiting.hpp"

#include <memory>

namespace nereus::mpi {

Done post(MPI_Comm comm, int rank, int tag, const Bytes &bytes) {
    auto kept = std::make_unique<Bytes>(bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    int sent = 0;
    auto done = check(MPI_Isend(kept->data(), static_cast<int>(kept->size()), MPI_BYTE, rank, tag, comm, &request),
                      "MPI_Isend");
    if (!done) return done;
    MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
    if (sent != 0) return {};
    MPI_Request_free(&request);
    [[maybe_unused]] const Bytes *left_to_mpi = kept.release();
    return {};
}

Result<bool> has_message(MPI_Comm comm, int rank, int tag) {
    int there = 0;
    for (int asked = 0; there == 0 && asked < times_to_ask; ++asked)
        if (auto done = check(MPI_Iprobe(rank, tag, comm, &there, MPI_STATUS_IGNORE), "MPI_Iprobe"); !done)
            return tl::unexpected(done.error());
    return there != 0;
}

Result<Bytes> receive(MPI_Comm comm, int rank, int tag, const Deadline &deadline) {
    for (Patience patience;; patience.pause()) {
        auto there = has_message(comm, rank, tag);
        if (!there) return tl::unexpected(there.error());
        if (*there) break;
        if (auto why = deadline.over("a message")) return tl::unexpected(*why);
    }
    MPI_Status status;
    if (auto done = check(MPI_Probe(rank, tag, comm, &status), "MPI_Probe"); !done) return tl::unexpected(done.error());
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Bytes bytes(static_cast<std::size_t>(size));
    auto done = check(MPI_Recv(bytes.data(), size, MPI_BYTE, rank, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    if (!done) return tl::unexpected(done.error());
    return bytes;
}

}
