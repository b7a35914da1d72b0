// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm.hpp"

#include "mpi/bounded_call.hpp"
#include "mpi/finalize.hpp"

namespace nereus::mpi {
namespace {

// Only with Open MPI, whose MPI_Finalize waits for the other members of communicators to processes of other jobs. Its
// MPI_Comm_free waits for nobody. MPICH's Finalize does not ask, and its MPI_Comm_free is an error where unread
// messages are left.
#ifdef OPEN_MPI
constexpr bool must_be_freed = true;
#else
constexpr bool must_be_freed = false;
#endif

}

void Comm::disconnect() {
    if (comm_ == MPI_COMM_NULL) return;
    const BoundedCall bounded("MPI_Comm_disconnect");
    MPI_Comm_disconnect(&comm_);
}

void Comm::abandon() {
    const MPI_Comm comm = std::exchange(comm_, MPI_COMM_NULL);
    if (must_be_freed && comm != MPI_COMM_NULL) finalize_frees(comm);
}

}
