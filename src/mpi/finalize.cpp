// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/finalize.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace nereus::mpi {
namespace {

struct Leftovers {
    std::vector<std::function<void()>> waits;
    std::vector<MPI_Comm> comms;
};

/// Of this process, as MPI_COMM_SELF is.
struct {
    std::mutex mutex;
    bool is_registered = false;
    Leftovers leftovers;
} at_finalize;

Leftovers take_leftovers() {
    const std::lock_guard guard(at_finalize.mutex);
    return std::exchange(at_finalize.leftovers, {});
}

int settle_leftovers(MPI_Comm, int, void *, void *) {
    Leftovers leftovers = take_leftovers();
    for (const auto &wait : leftovers.waits) wait();
    for (MPI_Comm &comm : leftovers.comms) MPI_Comm_free(&comm);
    return MPI_SUCCESS;
}

void register_once() {
    if (std::exchange(at_finalize.is_registered, true)) return;
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, settle_leftovers, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    MPI_Comm_free_keyval(&key);
}

}

void finalize_waits(std::function<void()> wait) {
    const std::lock_guard guard(at_finalize.mutex);
    register_once();
    at_finalize.leftovers.waits.push_back(std::move(wait));
}

void finalize_frees(MPI_Comm comm) {
    const std::lock_guard guard(at_finalize.mutex);
    register_once();
    at_finalize.leftovers.comms.push_back(comm);
}

}
