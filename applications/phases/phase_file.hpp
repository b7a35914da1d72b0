// SPDX-License-Identifier: BSD-3-Clause
// The file that all processes write together in an I/O phase: numbers of 8 bytes that follow from their place and the
// phase, in blocks by rank.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace phases {

struct PhaseFile {
    std::string path;
    std::int64_t elements;
    std::int64_t piece; ///< elements that all write together at a time; behind each piece they are on the device

    /// How many of them are a process'.
    std::int64_t share(int rank, int ranks) const;

    /// All of these are collective, and all processes get the same. @return what went wrong, or ""

    /// Makes the file, with room for all.
    std::string make(MPI_Comm comm) const;
    /// Writes all that belongs to the phase, piece by piece.
    std::string write(MPI_Comm comm, std::int64_t phase) const;
    /// Reads all, and looks whether it belongs to the phase.
    std::string check(MPI_Comm comm, std::int64_t phase) const;
};

}
