// SPDX-License-Identifier: BSD-3-Clause
// A user whose shrink is undone and comes again would pay for the windows of one-sided methods twice: making them is
// what eats their gain in the papers.
#include "expect.hpp"

#include <nereus/nereus.h>

#include <cstdint>

using namespace testing_mpi;

namespace {

constexpr std::int64_t elements = 300'007;

int windows_made = 0;
int refusals = 1;

/// The last source refuses once, when all data has come.
int refuse_once(nereus_redistribution_step step, const nereus_sides *sides, void *) {
    return step == NEREUS_MOVE && sides->source == sides->sources - 1 && refusals-- > 0 ? 1 : 0;
}

struct Numbers {
    const char *name;
    std::int64_t *part = nullptr;

    void enter(nereus_job *job) {
        expect(nereus_array(job, name, MPI_INT64_T, elements, NEREUS_BLOCK, NEREUS_CONSTANT,
                            reinterpret_cast<void **>(&part)) == NEREUS_OK,
               nereus_message(job));
        for (std::int64_t i = 0; i < nereus_count(job, name); ++i) part[i] = nereus_first(job, name) + i;
    }

    void check(nereus_job *job) const {
        for (std::int64_t i = 0; i < nereus_count(job, name); ++i)
            expect(part[i] == nereus_first(job, name) + i, "each number is at its place");
    }
};

/// What becomes of one resize to 2.
int resize(nereus_job *job) {
    nereus_resize_report before, report;
    nereus_last_resize(job, &before);
    if (rank_in(nereus_comm(job)) == 0) expect(nereus_resize(job, 2, nullptr, nullptr) >= 0, nereus_message(job));
    do {
        const int code = nereus_checkpoint(job);
        expect(code >= 0, nereus_message(job));
        if (code == NEREUS_LEAVE) return code;
        nereus_last_resize(job, &report);
    } while (report.request == before.request);
    return report.code;
}

void take_part(nereus_job *job) {
    Numbers first{"first"}, second{"second"};
    first.enter(job);
    second.enter(job);
    expect(resize(job) == NEREUS_ERR_TRANSFER, "the first resize is undone");
    first.check(job);
    const int made = windows_made;
    expect(made == 2, "there is a window for each array");
    const int code = resize(job);
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
