// SPDX-License-Identifier: BSD-3-Clause
// How peers' interfaces tell a user what is wrong: their calls return nothing, or what programs do not look at.
#pragma once

#include "base/last_words.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace nereus::compat {

/// One line on stderr.
inline void complain(const std::string &what) { std::fprintf(stderr, "nereus: %s\n", what.c_str()); }

/// For what would leave the program with wrong data.
[[noreturn]] inline void give_up(const std::string &what) {
    complain(what);
    let_last_words_arrive();
    MPI_Abort(MPI_COMM_WORLD, 2);
    std::abort();
}

}
