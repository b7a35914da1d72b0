// SPDX-License-Identifier: BSD-3-Clause
#include "job/closing.hpp"

#include "mpi/message.hpp"

namespace nereus::job {
namespace {

constexpr int tag_closing = 31;
constexpr double seconds_to_close = 2;

}

Done close_together(JobState &job) {
    const mpi::Comm &control = job.generation.control;
    const bool is_root = control.rank() == 0;
    if (auto all = mpi::check(MPI_Barrier(control.get()), "MPI_Barrier"); !all) return all;
    if (job.supervisor) job.supervisor->say_closing();
    for (int rank = 1; is_root && rank < control.size(); ++rank) (void)mpi::post(control.get(), rank, tag_closing, {});
    // Rank 0 may die right here: nobody needs to hear more of it than that it was there.
    if (!is_root) (void)mpi::receive(control.get(), 0, tag_closing, Deadline::in(seconds_to_close));
    return {};
}

}
