// SPDX-License-Identifier: BSD-3-Clause
// I/O phases: rank 0 asks the controller for the job's turn, and all wait for its word.
#include "job/job.hpp"
#include "mpi/patience.hpp"

namespace nereus::job {
namespace {

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
    return sum;
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
    program_says_io_ = true;
    if (!std::exchange(io_phase_is_a_file_, false)) return take_turn(bytes);
    return NEREUS_OK; // it has its turn since it opened the file
}

Done Job::end_io() {
    if (!in_io_phase_) return failed(NEREUS_ERR_STATE, "no I/O phase is open: begin one with nereus_io_begin()");
    return give_turn_back();
}

void Job::file_io(bool begins) {
    if (begins && !in_io_phase_ && !program_says_io_) {
        io_phase_is_a_file_ = take_turn(0).has_value();
    } else if (!begins && io_phase_is_a_file_) {
        io_phase_is_a_file_ = false;
        (void)give_turn_back();
    }
}

void Job::follow_files() {
    int (*const heard)(void *, int) = [](void *job, int begins) {
        static_cast<Job *>(job)->file_io(begins != 0);
        return 0;
    };
    if (members_.has_controller) job::follow_io(members_.generation.control.get(), leaving_ ? nullptr : heard, this);
}

Result<nereus_code> Job::take_turn(std::int64_t bytes) {
    in_io_phase_ = true;
    if (!members_.has_controller) return NEREUS_OK;
    ++members_.io_phases;
    const MPI_Comm control = members_.generation.control.get();
    const auto sum = sum_at_root(control, bytes);
    if (!sum) return tl::unexpected(sum.error());
    const bool turn = members_.controlled && members_.controlled->begin_io(members_.io_phases, *sum);
    const auto told = told_by_root(control, turn ? 1 : 0);
    if (!told) return tl::unexpected(told.error());
    return *told != 0 ? NEREUS_OK : NEREUS_NO_TURN;
}

/// The phase is over when all processes say so.
Done Job::give_turn_back() {
    in_io_phase_ = false;
    if (!members_.has_controller) return {};
    MPI_Request request = MPI_REQUEST_NULL;
    auto done = mpi::check(MPI_Ibarrier(members_.generation.control.get(), &request), "MPI_Ibarrier");
    if (done) done = wait_patiently(request, "MPI_Ibarrier");
    if (done && members_.controlled) members_.controlled->end_io();
    return done;
}

}
