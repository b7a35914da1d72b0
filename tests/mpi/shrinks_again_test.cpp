// SPDX-License-Identifier: BSD-3-Clause
// A user whose data did not come to one process, or came changed, keeps size and data, and can still shrink the job.
//
// shrinks_again_test FAULT: of faults.hpp
#include "../system/programs/faults.hpp"
#include "numbers.hpp"

using namespace testing_mpi;

namespace {

void take_part(nereus_job *job, const char *fault) {
    Numbers numbers{"numbers"};
    numbers.enter(job);
    if (rank_in(nereus_comm(job)) == 0) faults::arm(fault);
    expect(resize_to_2(job) < 0, "the first resize is rolled back");
    expect(size_of(nereus_comm(job)) == 3, "all processes are still there");
    numbers.check(job);
    const int code = resize_to_2(job);
    if (code == NEREUS_LEAVE) return;
    expect(code == NEREUS_RESIZED, "the second resize is done");
    numbers.check(job);
}

}

int main(int argc, char **argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    nereus_job *job = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    take_part(job, argv[1]);
    const int code = nereus_close(&job);
    expect(code == NEREUS_OK, "the job closes");
    MPI_Finalize();
    return 0;
}
