// SPDX-License-Identifier: BSD-3-Clause
// How an MPI test fails: one line that says where and what, then the whole job ends.
#pragma once

#include "base/flush_stderr.h"

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace testing_mpi {

inline void expect(bool holds, const char *what, std::source_location at = std::source_location::current()) {
    if (holds) return;
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "%s:%u: world rank %d: not so: %s\n", at.file_name(), at.line(), rank, what);
    flush_stderr_to_reader();
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/// CTest counts exit code 77 as skipped.
[[noreturn]] inline void skip(const char *reason) {
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::printf("skipped: %s\n", reason);
    MPI_Finalize();
    std::exit(77);
}

inline int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

inline int size_of(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size;
}

}
