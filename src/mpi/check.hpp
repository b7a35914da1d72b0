// SPDX-License-Identifier: BSD-3-Clause
// MPI's return codes as our errors. Every communicator of Nereus returns errors instead of ending the program.
#pragma once

#include "base/error.hpp"

#include <mpi.h>

#include <string>

namespace nereus::mpi {

/// MPI's own sentence for `code`: the last line of its text, which names the cause; those before are its calls.
std::string sentence(int code);

inline Done check(int code, const char *call) {
    if (code == MPI_SUCCESS) return {};
    return failed(NEREUS_ERR_MPI, std::string(call) + ": " + sentence(code));
}

}
