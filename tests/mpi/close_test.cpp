// SPDX-License-Identifier: BSD-3-Clause
// A job closes, whatever the environments of single processes say of a supervisor: rank 0's counts.
//
// close_test [RANKS]: after a resize to so many
#include "expect.hpp"

#include <nereus/nereus.h>

#include <cstdlib>

using namespace testing_mpi;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (rank_in(MPI_COMM_WORLD) == 1) setenv("NEREUS_LINK", "ipc:///nobody-listens-here", 1);
    nereus_job *job = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    const int ranks = argc > 1 ? std::atoi(argv[1]) : 0;
    if (ranks > 0 && nereus_generation(job) == 0) {
        if (rank_in(nereus_comm(job)) == 0)
            expect(nereus_resize(job, ranks, nullptr, nullptr) == NEREUS_OK, "a resize");
        while (nereus_generation(job) == 0) expect(nereus_checkpoint(job) >= 0, nereus_message(job));
    }
    expect(nereus_close(&job) == NEREUS_OK, "the job closes");
    MPI_Finalize();
    return 0;
}
