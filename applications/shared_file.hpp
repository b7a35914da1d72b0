// SPDX-License-Identifier: BSD-3-Clause
// A file of numbers of 8 bytes that all processes write together, in blocks by rank. What they write follows from the
// place of each number, whoever writes it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace applications {

/// Gives the numbers of the file from this place on. Local.
using Fill = std::function<void(std::int64_t first, std::span<std::uint64_t> numbers)>;

struct SharedFile {
    std::string path;
    std::int64_t numbers;
    std::int64_t piece_bytes; ///< that all write together at a time; behind each piece they are on the device

    /// How many of them are a process'.
    std::int64_t share_bytes(int rank, int ranks) const;

    /// All of these are collective, and all processes get the same. @return what went wrong, or ""

    /// Makes the file, with room for all.
    std::string make(MPI_Comm comm) const;
    /// Writes all, piece by piece.
    std::string write(MPI_Comm comm, const Fill &fill) const;
    /// Reads all, and looks whether it is what `fill` gives, bit by bit. @param owner whose numbers these are
    std::string check(MPI_Comm comm, const Fill &fill, const std::string &owner) const;
};

}
