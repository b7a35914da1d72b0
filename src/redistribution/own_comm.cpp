// SPDX-License-Identifier: BSD-3-Clause
#include "redistribution/own_comm.hpp"

#include "mpi/comm.hpp"

#include <memory>

namespace nereus::redistribution {
namespace {

/// Called by MPI when the application frees its communicator.
int free_own(MPI_Comm, int, void *own, void *) {
    delete static_cast<mpi::Comm *>(own);
    return MPI_SUCCESS;
}

/// MPI copies no such attribute to duplicates: each communicator gets one of its own.
int keyval() {
    static const int key = [] {
        int made = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_own, &made, nullptr);
        return made;
    }();
    return key;
}

}

Result<MPI_Comm> own_comm_of(MPI_Comm comm) {
    void *kept = nullptr;
    int is_there = 0;
    if (auto done =
            mpi::check(MPI_Comm_get_attr(comm, keyval(), static_cast<void *>(&kept), &is_there), "MPI_Comm_get_attr");
        !done)
        return tl::unexpected(done.error());
    if (is_there != 0) return static_cast<mpi::Comm *>(kept)->get();
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    auto made = mpi::Comm::split(comm, 0, rank); // has no attributes of the application
    if (!made) return tl::unexpected(made.error());
    auto own = std::make_unique<mpi::Comm>(std::move(*made));
    if (auto done = mpi::check(MPI_Comm_set_attr(comm, keyval(), own.get()), "MPI_Comm_set_attr"); !done)
        return tl::unexpected(done.error());
    return own.release()->get();
}

}
