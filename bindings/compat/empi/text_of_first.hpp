// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <string>

namespace nereus::compat {

/// Collective: rank 0's text, on all. Shorter than 2^31 bytes.
inline std::string text_of_first(std::string text, MPI_Comm comm) {
    auto length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, comm);
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm);
    return text;
}

}
