// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm.hpp"

#include "mpi/bounded_call.hpp"

#include <mutex>
#include <vector>

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

/// Of this process; a thread that makes processes abandons too.
struct {
    std::mutex mutex;
    std::vector<MPI_Comm> comms;
} abandoned;

int free_abandoned(MPI_Comm, int, void *, void *) {
    const std::lock_guard guard(abandoned.mutex);
    for (MPI_Comm &comm : abandoned.comms) MPI_Comm_free(&comm);
    abandoned.comms.clear();
    return MPI_SUCCESS;
}

/// MPI_Finalize begins with the attributes of MPI_COMM_SELF (MPI 4.0, section 11.2.4).
void free_abandoned_at_the_end() {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_abandoned, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    MPI_Comm_free_keyval(&key);
}

}

void Comm::disconnect() {
    if (comm_ == MPI_COMM_NULL) return;
    const BoundedCall bounded("MPI_Comm_disconnect");
    MPI_Comm_disconnect(&comm_);
}

void Comm::abandon() {
    const MPI_Comm comm = std::exchange(comm_, MPI_COMM_NULL);
    if (!must_be_freed || comm == MPI_COMM_NULL) return;
    const std::lock_guard guard(abandoned.mutex);
    if (abandoned.comms.empty()) free_abandoned_at_the_end();
    abandoned.comms.push_back(comm);
}

}
