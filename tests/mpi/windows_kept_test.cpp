// SPDX-License-Identifier: BSD-3-Clause
// A user whose shrink is rolled back and comes again would pay for the windows of one-sided methods twice: making them
// is what eats their gain in the papers.
#include "numbers.hpp"

using namespace testing_mpi;

namespace {

int windows_made = 0;
int refusals = 1;

/// The last source refuses once, when all data has come.
int refuse_once(nereus_redistribution_step step, const nereus_sides *sides, void *) {
    return step == NEREUS_MOVE && sides->source == sides->sources - 1 && refusals-- > 0 ? 1 : 0;
}

void take_part(nereus_job *job) {
    Numbers first{"first"}, second{"second"};
    first.enter(job);
    second.enter(job);
    expect(resize_to_2(job) == NEREUS_ERR_TRANSFER, "the first resize is rolled back");
    first.check(job);
    const int made = windows_made;
    expect(made == 2, "there is a window for each array");
    const int code = resize_to_2(job);
    expect(windows_made == made, "the second resize takes the windows of the first one");
    if (code == NEREUS_LEAVE) return;
    expect(code == NEREUS_RESIZED, "the second resize is done");
    first.check(job);
    second.check(job);
}

}

/// What the library calls: counted on its way to MPI.
extern "C" __attribute__((visibility("default"))) int MPI_Win_create(void *base, MPI_Aint bytes, int unit,
                                                                     MPI_Info info, MPI_Comm comm, MPI_Win *window) {
    ++windows_made;
    return PMPI_Win_create(base, bytes, unit, info, comm, window);
}

int main(int argc, char **argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    expect(nereus_on_resize("nothing", refuse_once, nullptr) == NEREUS_OK, "a function is taken");
    nereus_job *job = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    take_part(job);
    int code = nereus_close(&job);
    expect(code == NEREUS_OK, "the job closes");
    MPI_Finalize();
    return 0;
}
