// SPDX-License-Identifier: BSD-3-Clause
#include "job/io_phases.hpp"

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

void stop_following() { (void)follow_io(MPI_COMM_NULL, nullptr, nullptr); }

}

Result<nereus_code> IoPhases::begin(std::int64_t bytes) {
    if (program_is_in_one())
        return failed(NEREUS_ERR_STATE, "an I/O phase is open already: end it with nereus_io_end()");
    job_.says_io = true;
    if (!std::exchange(is_a_file_, false)) return acquire_turn(bytes);
    return file_turn_; // that it has since it opened the file
}

Done IoPhases::end() {
    if (!is_open_) return failed(NEREUS_ERR_STATE, "no I/O phase is open: begin one with nereus_io_begin()");
    return give_turn_back();
}

Done IoPhases::begin_saving() {
    const auto turn = acquire_turn(job_.generation.control.rank() == 0 ? job_.registry.bytes() : 0);
    return turn ? Done{} : Done(tl::unexpected(turn.error()));
}

void IoPhases::file_is_used(bool begins) {
    if (std::this_thread::get_id() != thread_) return; // in no order with what the other one does
    if (begins && !is_open_ && !job_.says_io) {
        const auto turn = acquire_turn(0);
        is_a_file_ = turn.has_value();
        file_turn_ = turn.value_or(NEREUS_NO_TURN);
    } else if (!begins && is_a_file_) {
        is_a_file_ = false;
        (void)give_turn_back();
    }
}

/// Whoever follows files on this process hears of those that are opened from now on.
bool IoPhases::follow_from_here() {
    int (*const heard)(void *, int) = [](void *phases, int begins) {
        static_cast<IoPhases *>(phases)->file_is_used(begins != 0);
        return 0;
    };
    return follow_io(job_.generation.control.get(), heard, this);
}

void IoPhases::follow_files() {
    if (!job_.has_daemon) return;
    const mpi::Comm &control = job_.generation.control;
    const std::array<int, 2> here{follow_from_here() ? 1 : 0, control.rank() != 0 || job_.daemon_client ? 1 : 0};
    std::array<int, 2> everywhere{};
    MPI_Allreduce(here.data(), everywhere.data(), 2, MPI_INT, MPI_MIN, control.get());
    job_.has_daemon = everywhere[1] != 0;
    follows_files_ = everywhere[0] != 0 && job_.has_daemon; // else some world is not recorded
    if (!follows_files_) stop_following();
}

void IoPhases::follow_no_files() const {
    if (job_.has_daemon) stop_following();
}

void IoPhases::leave_files_open() {
    if (!is_a_file_) return;
    is_a_file_ = false;
    (void)give_turn_back();
    if (follows_files_) (void)follow_from_here();
}

void IoPhases::close() {
    if (is_open_) (void)give_turn_back();
}

Result<nereus_code> IoPhases::acquire_turn(std::int64_t bytes) {
    if (!job_.has_daemon) return open_with(NEREUS_OK);
    tell_monitor_state(activities::io_phase, "waiting for its turn");
    const auto turn = wait_for_turn(bytes);
    if (turn) return open_with(*turn);
    tell_monitor_end(activities::io_phase);
    return tl::unexpected(turn.error());
}

Result<nereus_code> IoPhases::wait_for_turn(std::int64_t bytes) {
    ++job_.io_phases;
    const MPI_Comm control = job_.generation.control.get();
    const auto sum = sum_at_root(control, bytes);
    if (!sum) return tl::unexpected(sum.error());
    const bool turn = job_.daemon_client && job_.daemon_client->begin_io(job_.io_phases, *sum);
    const auto told = told_by_root(control, turn ? 1 : 0);
    if (!told) return tl::unexpected(told.error());
    return *told != 0 ? NEREUS_OK : NEREUS_NO_TURN;
}

nereus_code IoPhases::open_with(nereus_code turn) {
    is_open_ = true;
    tell_monitor_state(activities::io_phase, turn == NEREUS_OK ? "open" : "open without a turn");
    return turn;
}

/// The phase is over when all processes say so.
Done IoPhases::give_turn_back() {
    is_open_ = false;
    tell_monitor_end(activities::io_phase);
    if (!job_.has_daemon) return {};
    MPI_Request request = MPI_REQUEST_NULL;
    auto done = mpi::check(MPI_Ibarrier(job_.generation.control.get(), &request), "MPI_Ibarrier");
    if (done) done = wait_patiently(request, "MPI_Ibarrier");
    if (done && job_.daemon_client) job_.daemon_client->end_io();
    return done;
}

}
