// SPDX-License-Identifier: BSD-3-Clause
// A program that swaps two arrays in each iteration, as stencils do, has the right one under each name after resizes.
//
// swap_test CASE ELEMENTS
#include "expect.hpp"

#include <nereus/nereus.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

using namespace testing_mpi;

namespace {

constexpr int sizes[] = {4, 3, 1, 2};
constexpr int sizes_of_one_swap[] = {4, 1, 3, 4, 2, 5};
constexpr std::int64_t iterations_between = 7; // an odd number of swaps between two resizes

struct Stencil {
    std::int64_t elements = 0;
    std::int64_t *now = nullptr, *before = nullptr, *shape = nullptr;
    std::int64_t step = 0;

    void array(nereus_job *job, const char *name, nereus_kind kind, std::int64_t *&part) const {
        expect(nereus_array(job, name, MPI_INT64_T, elements, NEREUS_BLOCK, kind, reinterpret_cast<void **>(&part)) ==
                   NEREUS_OK,
               nereus_message(job));
    }

    void enter(nereus_job *job, bool with_before = true) {
        array(job, "now", NEREUS_VARIABLE, now);
        if (with_before) array(job, "before", NEREUS_VARIABLE, before);
        array(job, "shape", NEREUS_CONSTANT, shape);
        expect(nereus_value(job, "step", MPI_INT64_T, 1, &step) == NEREUS_OK, nereus_message(job));
        if (nereus_generation(job) > 0) return;
        for (std::int64_t i = 0, first = nereus_first(job, "now"), count = nereus_count(job, "now"); i < count; ++i) {
            now[i] = shape[i] = first + i;
            before[i] = first + i - 1;
        }
    }

    /// Each value is the number of its element and of the step; the one before it is of the step before.
    void check(const nereus_job *job) const {
        for (std::int64_t i = 0, first = nereus_first(job, "now"), count = nereus_count(job, "now"); i < count; ++i)
            expect(now[i] == first + i + step && before[i] == now[i] - 1 && shape[i] == first + i,
                   "each array has what is its own");
    }

    void iterate(nereus_job *job, bool by_call) {
        check(job);
        for (std::int64_t i = 0, count = nereus_count(job, "now"); i < count; ++i) before[i] = now[i] + 1;
        if (by_call)
            expect(nereus_swap(job, "now", "before") == NEREUS_OK, nereus_message(job));
        else
            std::swap(now, before);
        ++step;
    }
};

Stencil stencil; // nereus_close() writes to its pointers

/// Through all sizes; what newcomers find depends on the names alone.
void resizes(nereus_job *job, bool by_call) {
    stencil.enter(job);
    std::int64_t asked = -1;
    while (true) {
        stencil.check(job);
        const std::int64_t resized = nereus_generation(job);
        if (resized == std::ssize(sizes)) return;
        if (stencil.step % iterations_between == 0 && rank_in(nereus_comm(job)) == 0 &&
            std::exchange(asked, resized) != resized)
            expect(nereus_resize(job, sizes[resized], nullptr, nullptr) >= 0, nereus_message(job));
        stencil.iterate(job, by_call);
        const int code = nereus_checkpoint(job);
        expect(code >= 0, nereus_message(job));
        if (code == NEREUS_LEAVE) return;
        nereus_resize_report report;
        nereus_last_resize(job, &report);
        expect(report.code == NEREUS_RESIZED || report.code == NEREUS_OK, report.reason);
    }
}

/// One swap for each resize, right after it has begun: with a strategy that lets the application iterate meanwhile,
/// newcomers are on their way. It begins at the second checkpoint after the request, and they come two later at least.
void one_swap(nereus_job *job) {
    stencil.enter(job);
    for (int checkpoints = 0;; ++checkpoints) {
        stencil.check(job);
        const std::int64_t resized = nereus_generation(job);
        if (resized == std::ssize(sizes_of_one_swap)) return;
        if (checkpoints == 0 && rank_in(nereus_comm(job)) == 0)
            expect(nereus_resize(job, sizes_of_one_swap[resized], nullptr, nullptr) >= 0, nereus_message(job));
        if (checkpoints == 2) stencil.iterate(job, false);
        const int code = nereus_checkpoint(job);
        expect(code >= 0, nereus_message(job));
        if (code == NEREUS_LEAVE) return;
        if (code == NEREUS_RESIZED) checkpoints = -1;
        nereus_resize_report report;
        nereus_last_resize(job, &report);
        expect(report.code == NEREUS_RESIZED || report.code == NEREUS_OK, report.reason);
    }
}

/// Whatever is no swap is an error that names the array, undoes a resize, and is over with the mistake.
void stray(nereus_job *job) {
    stencil.enter(job);
    std::int64_t own = 0, *const kept = stencil.now;
    for (std::int64_t *const wrong : {&own, stencil.before, stencil.shape, stencil.now + 1}) {
        stencil.now = wrong;
        const int code = nereus_checkpoint(job);
        expect(code == NEREUS_ERR_STATE, "a pointer to something else is an error");
        expect(std::string(nereus_message(job)).find("\"now\"") != std::string::npos, nereus_message(job));
    }
    if (rank_in(nereus_comm(job)) == 0) expect(nereus_resize(job, 3, nullptr, nullptr) >= 0, nereus_message(job));
    nereus_resize_report report{};
    for (int i = 0; i < 100 && report.code == NEREUS_OK; ++i) {
        expect(nereus_checkpoint(job) == NEREUS_ERR_STATE, "as long as it is so");
        nereus_last_resize(job, &report);
    }
    expect(report.code == NEREUS_ERR_STATE && std::string(report.reason).find("\"now\"") != std::string::npos,
           "a resize is rolled back for it");
    stencil.now = kept;
    expect(nereus_checkpoint(job) == NEREUS_GO_ON, nereus_message(job));
    stencil.check(job);
    std::swap(stencil.shape, stencil.now);
    expect(nereus_checkpoint(job) == NEREUS_ERR_STATE, "constant arrays are not swapped");
    std::swap(stencil.shape, stencil.now);
    expect(nereus_swap(job, "now", "shape") == NEREUS_ERR_MISMATCH, "nor by the call");
    expect(nereus_swap(job, "now", "step") == NEREUS_ERR_MISMATCH, "values are not swapped");
    expect(nereus_swap(job, "now", "nobody") == NEREUS_ERR_NAME, "unknown names");
    expect(nereus_swap(job, "now", nullptr) == NEREUS_ERR_ARGUMENT, "a name is needed");
    expect(nereus_swap(nullptr, "now", "before") == NEREUS_ERR_ARGUMENT, "a job is needed");
    expect(nereus_swap(job, "now", "now") == NEREUS_OK, "an array with itself");
    stencil.check(job);
}

/// What was swapped and is taken out takes its own part along, on all processes alike, and newcomers find the rest.
void forgotten(nereus_job *job) {
    stencil.enter(job, nereus_generation(job) == 0);
    if (nereus_generation(job) == 0) {
        stencil.iterate(job, false);
        expect(nereus_forget(job, "before") == NEREUS_OK, nereus_message(job));
        expect(stencil.before == nullptr, "its pointer goes");
        if (rank_in(nereus_comm(job)) == 0) expect(nereus_resize(job, 5, nullptr, nullptr) >= 0, "a resize");
        while (nereus_generation(job) == 0) expect(nereus_checkpoint(job) >= 0, nereus_message(job));
    }
    for (std::int64_t i = 0, first = nereus_first(job, "now"), count = nereus_count(job, "now"); i < count; ++i)
        expect(stencil.now[i] == first + i + stencil.step, "the other one has what it had");
}

}

int main(int argc, char **argv) {
    int level = 0; // processes are made in a thread where the strategy is so
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    nereus_job *job = nullptr;
    const int opened = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
    expect(opened == NEREUS_OK || opened == NEREUS_LEAVE, "the job opens");
    const std::string name = argv[1];
    stencil.elements = std::atoll(argv[2]);
    if (opened == NEREUS_OK && name == "stray") stray(job);
    if (opened == NEREUS_OK && name == "forgotten") forgotten(job);
    if (opened == NEREUS_OK && name == "one") one_swap(job);
    if (opened == NEREUS_OK && (name == "pointers" || name == "calls")) resizes(job, name == "calls");
    expect(nereus_close(&job) == NEREUS_OK, "the job closes");
    MPI_Finalize();
    return 0;
}
