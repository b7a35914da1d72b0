// SPDX-License-Identifier: BSD-3-Clause
// How peers' interfaces tell a user what is wrong: their calls return nothing, or what programs do not look at.
#pragma once

#include "base/flush_stderr.h"
#include "base/printable.hpp"

#include <mpi.h>

#include <cstdlib>
#include <string>

namespace nereus::compat {

/// One line on stderr.
inline void complain(const std::string &what) { print_line("nereus", what); }

/// For what would leave the program with wrong data.
[[noreturn]] inline void give_up(const std::string &what) {
    complain(what);
    flush_stderr_to_reader();
    MPI_Abort(MPI_COMM_WORLD, 2);
    std::abort();
}

}
