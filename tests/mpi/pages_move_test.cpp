// SPDX-License-Identifier: BSD-3-Clause
// A user of an MPI that stands before mremap() would find zeros where data stayed with its process.
//
// pages_move_test SIZE...   with memory private; the parts are large enough that what stays moves by pages
#include "expect.hpp"
#include "stays.hpp"

#include <cctype>
#include <vector>

using namespace testing_mpi;

namespace {

constexpr std::int64_t cells = std::int64_t{3} << 20;

std::vector<int> sizes_in(int argc, char **argv) {
    std::vector<int> sizes;
    for (int i = 1; i < argc; ++i)
        if (std::isdigit(argv[i][0]) != 0) sizes.push_back(std::atoi(argv[i]));
    return sizes;
}

void fill(nereus_job *job, double *cell) {
    const std::int64_t first = nereus_first(job, "cells");
    for (std::int64_t i = 0; i < nereus_count(job, "cells"); ++i) cell[i] = static_cast<double>(first + i) + 0.5;
}

void check(nereus_job *job, const double *cell) {
    const std::int64_t first = nereus_first(job, "cells");
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < nereus_count(job, "cells"); ++i)
        wrong += cell[i] == static_cast<double>(first + i) + 0.5 ? 0 : 1;
    expect(wrong == 0, "all cells are as they were");
}

/// @return whether this process left the job
bool iterate(nereus_job *job, double *&cell, const std::vector<int> &sizes) {
    std::int64_t asked = -1;
    for (;;) {
        const auto done = static_cast<std::size_t>(nereus_generation(job));
        if (done == sizes.size()) return false;
        if (rank_in(nereus_comm(job)) == 0 && asked != nereus_generation(job)) {
            asked = nereus_generation(job);
            expect(nereus_resize(job, sizes[done], nullptr, nullptr) == NEREUS_OK, nereus_message(job));
        }
        const int code = nereus_checkpoint(job);
        if (code == NEREUS_LEAVE) return true;
        expect(code >= 0, nereus_message(job));
        if (code == NEREUS_RESIZED) check(job, cell);
    }
}

int take_part(int argc, char **argv) {
    nereus_job *job = nullptr;
    double *cell = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    expect(nereus_array(job, "cells", MPI_DOUBLE, cells, NEREUS_BLOCK, NEREUS_VARIABLE,
                        reinterpret_cast<void **>(&cell)) == NEREUS_OK,
           nereus_message(job));
    if (nereus_generation(job) == 0)
        fill(job, cell);
    else
        check(job, cell);
    iterate(job, cell, sizes_in(argc, argv));
    return nereus_close(&job);
}

}

int main(int argc, char **argv) { return testing_mpi::stay_until_unwanted(argc, argv, take_part); }
