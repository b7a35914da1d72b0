// SPDX-License-Identifier: BSD-3-Clause
// What nereus.hpp says of the C API is so: rows of a matrix and structures follow a resize, a name that was forgotten
// is free, stages end where they began. Former names of the C API still work.
#include "expect.hpp"

#include <nereus/nereus.hpp>

#include <cmath>
#include <limits>

using namespace testing_mpi;

namespace {

constexpr std::int64_t rows = 12;

struct State {
    std::int64_t step = 0;
    char word[8] = "begun";
};

/// A diagonal matrix, of the numbers of its rows.
void fill(const nereus_matrix &matrix) {
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
        matrix.starts[i] = matrix.first_row + i;
        matrix.columns[i] = matrix.first_row + i;
        static_cast<double *>(matrix.values)[i] = static_cast<double>(matrix.first_row + i);
    }
    matrix.starts[matrix.rows] = matrix.first_row + matrix.rows;
}

void check(const nereus_matrix &matrix, const nereus::Job &job) {
    expect(matrix.rows == rows / job.size() && matrix.nonzeros == matrix.rows, "each process has its rows");
    for (std::int64_t i = 0; i < matrix.rows; ++i)
        expect(static_cast<double *>(matrix.values)[i] == static_cast<double>(matrix.first_row + i),
               "with their values");
}

int code_of(const nereus::Job &job, auto &&call) {
    try {
        call();
    } catch (const nereus::Failure &failure) {
        expect(std::string(failure.what()).size() > 10, job.message().c_str());
        return failure.code();
    }
    return NEREUS_OK;
}

void forget(nereus::Job &job) {
    auto array = job.array<int>("short-lived", 100, NEREUS_BLOCK, NEREUS_VARIABLE);
    expect(array.begin() != nullptr, "the library has memory for it");
    job.forget("short-lived");
    expect(code_of(job, [&] { job.forget("short-lived"); }) == NEREUS_ERR_NAME, "it is forgotten once");
    job.array<int>("short-lived", 10, NEREUS_BLOCK, NEREUS_VARIABLE);
    job.forget("short-lived");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void former_names(nereus::Job &job) {
    nereus_cut cut{};
    cut.layout = NEREUS_CYCLIC;
    cut.block = 10;
    void *part = nullptr;
    expect(nereus_array_cut(job.get(), "dealt", MPI_INT, 100, &cut, NEREUS_VARIABLE, &part, nullptr) == NEREUS_OK,
           job.message().c_str());
    expect(nereus_place(job.get(), "dealt", 5, nullptr) == nereus_locate(job.get(), "dealt", 5, nullptr),
           "former names mean what the new ones mean");
    job.forget("dealt");
}
#pragma GCC diagnostic pop

void stages(const nereus::Job &job) {
    {
        const nereus::Stage outer(job, "outer", NEREUS_STAGE_COMPUTE);
        const nereus::Stage inner(job, "inner", NEREUS_STAGE_COMPUTE); // begins nothing, and so ends nothing
    }
    expect(nereus_stage_end(job.get()) == NEREUS_ERR_STATE, "the outer one has ended");
    {
        const nereus::Stage outer(job, "outer", NEREUS_STAGE_COMPUTE);
        {
            const nereus::Stage inner(job, "inner", NEREUS_STAGE_COMPUTE);
        }
        expect(nereus_stage_end(job.get()) == NEREUS_OK, "the inner one did not end the outer one");
    }
}

void operations(nereus::Job &job) {
    constexpr double most = 1e24;
    job.operations(most);
    for (const double wrong : {-1.0, 2 * most, std::nan(""), std::numeric_limits<double>::infinity()})
        expect(code_of(job, [&] { job.operations(wrong); }) == NEREUS_ERR_ARGUMENT, "0 .. 1e24 are allowed");
    job.operations(0);
}

void stay(nereus::Job &job) {
    State state;
    job.value("state", state);
    const bool is_first = job.generation() == 0;
    auto now = job.array<std::int64_t>("now", rows, NEREUS_BLOCK, NEREUS_VARIABLE);
    auto before = job.array<std::int64_t>("before", rows, NEREUS_BLOCK, NEREUS_VARIABLE);
    auto shape = job.array<std::int64_t>("shape", rows, NEREUS_BLOCK, NEREUS_CONSTANT);
    expect(code_of(job, [&] { job.swap(now, shape); }) == NEREUS_ERR_MISMATCH, "what differs is not swapped");
    const nereus_matrix &matrix = job.matrix<double>("A", rows, is_first ? rows / job.size() : 0, NEREUS_CONSTANT);
    if (is_first) {
        fill(matrix);
        forget(job);
        operations(job);
        former_names(job);
        stages(job);
        state.word[0] = 'B';
        if (job.rank() == 0) job.resize(3);
    }
    check(matrix, job);
    while (state.step < 5) {
        for (std::int64_t &value : before) value = state.step + 1;
        job.swap(now, before);
        ++state.step;
        const nereus::Outcome outcome = job.checkpoint();
        if (outcome == nereus::Outcome::leave) return;
        if (outcome == nereus::Outcome::resized) check(matrix, job);
        for (const std::int64_t value : now) expect(value == state.step, "arrays follow swaps and resizes");
    }
    expect(job.size() == 3 && std::string(state.word) == "Begun", "all of the structure has come");
}

}

int main(int argc, char **argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    nereus::run(MPI_COMM_WORLD, argc, argv, stay);
    MPI_Finalize();
    return 0;
}
