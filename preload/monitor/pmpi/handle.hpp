// SPDX-License-Identifier: BSD-3-Clause
// A handle of MPI, a number in some MPIs and a pointer in others, as a word that can be looked up.
#pragma once

#include <cstdint>
#include <cstring>
#include <mpi.h>

namespace nereus::pmpi {

/// Two kinds of handles that are told apart here, since both are int in some MPIs.
struct Communicator {
    MPI_Comm handle;
};
struct Window {
    MPI_Win handle;
};

template <class Handle> std::uint64_t handle_word(Handle handle) {
    static_assert(sizeof handle <= sizeof(std::uint64_t));
    std::uint64_t word = 0;
    std::memcpy(&word, &handle, sizeof handle);
    return word;
}

}
