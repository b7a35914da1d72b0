// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: a mistake around an I/O phase that is told by its code and harms nothing.
//
// io_phase_test CODE: the name of what a good nereus_io_begin() returns, where no daemon, or none that can be
// reached, is set.
#include "expect.hpp"

#include <nereus/io.h>
#include <nereus/nereus.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>

using namespace testing_mpi;

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

void expect_code(int code, const char *name) { expect(std::strcmp(nereus_code_name(code), name) == 0, name); }

void expect_message(nereus_job *job, const char *part) {
    expect(std::strstr(nereus_message(job), part) != nullptr, nereus_message(job));
}

void bad_arguments(nereus_job *job) {
    expect(nereus_io_begin(nullptr, 0) == NEREUS_ERR_ARGUMENT, "a job is needed to begin");
    expect(nereus_io_end(nullptr) == NEREUS_ERR_ARGUMENT, "a job is needed to end");
    for (const std::int64_t bytes : {std::int64_t{-1}, INT64_MIN, most_bytes + 1, INT64_MAX}) {
        expect(nereus_io_begin(job, bytes) == NEREUS_ERR_ARGUMENT, "so many bytes are not allowed");
        expect_message(job, "0 .. 2^40 bytes");
    }
}

void wrong_order(nereus_job *job, const char *good) {
    expect(nereus_io_end(job) == NEREUS_ERR_STATE, "there is no phase to end");
    expect_message(job, "no I/O phase is open");
    expect_code(nereus_io_begin(job, most_bytes), good);
    expect(nereus_io_begin(job, 0) == NEREUS_ERR_STATE, "a phase is open");
    expect_message(job, "an I/O phase is open already");
    expect(nereus_checkpoint(job) == NEREUS_ERR_STATE, "no checkpoint within a phase");
    expect_message(job, "an I/O phase is open: end it");
    expect(nereus_io_end(job) == NEREUS_OK, "the phase is still there to be ended");
    expect(nereus_io_end(job) == NEREUS_ERR_STATE, "a phase is ended once");
}

void grow(nereus_job *job) {
    if (rank_in(nereus_comm(job)) == 0)
        expect(nereus_resize(job, 3, nullptr, nullptr) == NEREUS_OK, nereus_message(job));
    for (int i = 0; i < 5; ++i)
        if (nereus_checkpoint(job) == NEREUS_RESIZED) return;
    expect(false, "the job is resized as before");
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    nereus_job *job = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    const char *good = argv[1];
    if (nereus_generation(job) == 0) {
        bad_arguments(job);
        wrong_order(job, good);
        grow(job);
    }
    expect_code(nereus_io_begin(job, 1), good);
    expect(nereus_io_end(job) == NEREUS_OK, "newcomers write with the others");
    expect(nereus_close(&job) == NEREUS_OK, "the job closes");
    MPI_Finalize();
}
