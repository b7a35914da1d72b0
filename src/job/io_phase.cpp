// SPDX-License-Identifier: BSD-3-Clause
// I/O phases: rank 0 asks the daemon for the job's turn, and all wait for its word.
#include "job/job.hpp"
#include "job/state/monitor_client.hpp"
#include "mpi/patience.hpp"

#include <algorithm>
#include <array>

namespace nereus::job {
namespace {

constexpr std::int64_t greatest_sum = (std::int64_t{1} << 53) - 1; // that every reader of JSON can read

/// A turn may be minutes away: others need the core more.
Done wait_patiently(MPI_Request &request, const char *what) {
    int there = 0;
    for (mpi::Patience patience;; patience.pause()) {
        if (auto done = mpi::check(MPI_Test(&request, &there, MPI_STATUS_IGNORE), what); !done) return done;
        if (there != 0) return {};
    }
}

Result<std::int64_t> sum_at_root(MPI_Comm comm, std::int64_t bytes) {
    std::int64_t sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (auto done = mpi::check(MPI_Ireduce(&bytes, &sum, 1, MPI_INT64_T, MPI_SUM, 0, comm, &request), "MPI_Ireduce");
        !done)
        return tl::unexpected(done.error());
    if (auto done = wait_patiently(request, "MPI_Ireduce"); !done) return tl::unexpected(done.error());
    return std::clamp<std::int64_t>(sum, 0, greatest_sum);
}

Result<int> told_by_root(MPI_Comm comm, int word) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (auto done = mpi::check(MPI_Ibcast(&word, 1, MPI_INT, 0, comm, &request), "MPI_Ibcast"); !done)
        return tl::unexpected(done.error());
    if (auto done = wait_patiently(request, "MPI_Ibcast"); !done) return tl::unexpected(done.error());
    return word;
}

}

Result<nereus_code> Job::begin_io(std::int64_t bytes) {
    if (in_io_phase_ && !io_phase_is_a_file_)
        return failed(NEREUS_ERR_STATE, "an I/O phase is open already: end it with nereus_io_end()");
    state_.says_io = true;
    if (!std::exchange(io_phase_is_a_file_, false)) return acquire_turn(bytes);
    return file_turn_; // that it has since it opened the file
}

Done Job::end_io() {
    if (!in_io_phase_) return failed(NEREUS_ERR_STATE, "no I/O phase is open: begin one with nereus_io_begin()");
    return give_turn_back();
}

void Job::file_io(bool begins) {
    if (std::this_thread::get_id() != thread_) return; // in no order with what the other one does
    if (begins && !in_io_phase_ && !state_.says_io) {
        const auto turn = acquire_turn(0);
        io_phase_is_a_file_ = turn.has_value();
        file_turn_ = turn.value_or(NEREUS_NO_TURN);
    } else if (!begins && io_phase_is_a_file_) {
        io_phase_is_a_file_ = false;
        (void)give_turn_back();
    }
}

/// Whoever follows files on this process hears of those that are opened from now on.
bool Job::follow_from_here() {
    int (*const heard)(void *, int) = [](void *job, int begins) {
        static_cast<Job *>(job)->file_io(begins != 0);
        return 0;
    };
    return follow_io(state_.generation.control.get(), heard, this);
}

/// Also where the line to the daemon could not be opened, or not be taken over: then all do without.
void Job::follow_files() {
    if (!state_.has_daemon) return;
    if (leaving_) {
        (void)follow_io(MPI_COMM_NULL, nullptr, nullptr);
        return;
    }
    const MPI_Comm control = state_.generation.control.get();
    const std::array<int, 2> here{follow_from_here() ? 1 : 0, !root() || state_.daemon_client ? 1 : 0};
    std::array<int, 2> everywhere{};
    MPI_Allreduce(here.data(), everywhere.data(), 2, MPI_INT, MPI_MIN, control);
    state_.has_daemon = everywhere[1] != 0;
    follows_files_ = everywhere[0] != 0 && state_.has_daemon; // else some world is not recorded
    if (!follows_files_) (void)follow_io(MPI_COMM_NULL, nullptr, nullptr);
}

/// A file that is still open is no phase; others that are opened later are.
void Job::leave_files_open() {
    if (!io_phase_is_a_file_) return;
    io_phase_is_a_file_ = false;
    (void)give_turn_back();
    if (follows_files_) (void)follow_from_here();
}

Result<nereus_code> Job::acquire_turn(std::int64_t bytes) {
    if (!state_.has_daemon) {
        in_io_phase_ = true;
        return NEREUS_OK;
    }
    ++state_.io_phases;
    const MPI_Comm control = state_.generation.control.get();
    const auto sum = sum_at_root(control, bytes);
    if (!sum) return tl::unexpected(sum.error());
    const bool turn = state_.daemon_client && state_.daemon_client->begin_io(state_.io_phases, *sum);
    const auto told = told_by_root(control, turn ? 1 : 0);
    if (!told) return tl::unexpected(told.error());
    in_io_phase_ = true;
    return *told != 0 ? NEREUS_OK : NEREUS_NO_TURN;
}

/// The phase is over when all processes say so.
Done Job::give_turn_back() {
    in_io_phase_ = false;
    if (!state_.has_daemon) return {};
    MPI_Request request = MPI_REQUEST_NULL;
    auto done = mpi::check(MPI_Ibarrier(state_.generation.control.get(), &request), "MPI_Ibarrier");
    if (done) done = wait_patiently(request, "MPI_Ibarrier");
    if (done && state_.daemon_client) state_.daemon_client->end_io();
    return done;
}

}
