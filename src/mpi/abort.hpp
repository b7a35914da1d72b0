// SPDX-License-Identifier: BSD-3-Clause
// The end of a job that must not go on with wrong data.
#pragma once

#include "base/flush_stderr.h"
#include "base/printable.hpp"

#include <cstdlib>
#include <mpi.h>
#include <string>

namespace nereus::mpi {

/// Says why, and ends all processes. MPICH 5 returns from MPI_Abort: this process goes no further.
[[noreturn]] inline void abort_job(const std::string &why) {
    print_line("nereus", why);
    flush_stderr_to_reader();
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    std::_Exit(EXIT_FAILURE);
}

}
