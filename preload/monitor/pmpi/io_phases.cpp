// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/io_phases.hpp"

#include "pmpi/handle.hpp"

#include <mutex>
#include <set>

namespace nereus::pmpi {
namespace {

struct Follower {
    std::mutex guard;
    MPI_Comm comm = MPI_COMM_NULL;
    nereus_monitor_io_call call = nullptr;
    void *context = nullptr;
    std::set<std::uint64_t> open; ///< files of the phase
    bool is_told = false;         ///< that it began
};

/// Of the file that this thread closes: others are no business of all processes.
thread_local bool closes_one_of_the_phase = false;

Follower &follower() {
    static auto *one = new Follower;
    return *one;
}

/// Of all its processes, in any order.
bool is_of_all(MPI_Comm comm, MPI_Comm job) {
    if (comm == MPI_COMM_NULL || job == MPI_COMM_NULL) return false; // to open a file so is an error that is returned
    int result = MPI_UNEQUAL;
    PMPI_Comm_compare(comm, job, &result);
    return result == MPI_IDENT || result == MPI_CONGRUENT || result == MPI_SIMILAR;
}

/// Calls it where `changes`, with the lock open: it waits for other processes.
void tell_if(std::unique_lock<std::mutex> lock, bool changes, bool begins) {
    if (!changes) return;
    follower().is_told = begins;
    const auto call = follower().call;
    void *const context = follower().context;
    lock.unlock();
    call(context, begins ? 1 : 0);
}

}

void follow_io(MPI_Comm comm, nereus_monitor_io_call call, void *context) {
    const std::lock_guard lock(follower().guard);
    Follower &one = follower();
    one.comm = comm;
    one.call = call;
    one.context = context;
    one.open.clear();
    one.is_told = false;
}

void io_may_begin(MPI_Comm comm) {
    std::unique_lock lock(follower().guard);
    const Follower &one = follower();
    const bool begins = one.call != nullptr && !one.is_told && is_of_all(comm, one.comm);
    tell_if(std::move(lock), begins, true);
}

void io_opened(MPI_Comm comm, MPI_File file) {
    const std::lock_guard lock(follower().guard);
    Follower &one = follower();
    if (one.is_told && is_of_all(comm, one.comm)) one.open.insert(handle_word(file));
}

void io_was_tried(MPI_Comm comm) {
    std::unique_lock lock(follower().guard);
    const Follower &one = follower();
    const bool ends = one.call != nullptr && one.is_told && one.open.empty() && is_of_all(comm, one.comm);
    tell_if(std::move(lock), ends, false);
}

void io_closes(MPI_File file) {
    const std::lock_guard lock(follower().guard);
    closes_one_of_the_phase = follower().open.erase(handle_word(file)) > 0;
}

void io_may_end() {
    std::unique_lock lock(follower().guard);
    const Follower &one = follower();
    const bool ends = closes_one_of_the_phase && one.call != nullptr && one.is_told && one.open.empty();
    tell_if(std::move(lock), ends, false);
}

}
