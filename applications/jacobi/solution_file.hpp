// SPDX-License-Identifier: BSD-3-Clause
// The file of the solution: its elements as doubles of this machine, in order, written by all processes together.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

namespace jacobi {

/// All of these are collective, and all processes get the same. @return what went wrong, or ""

/// Makes the file, with room for so many elements.
std::string make_file(MPI_Comm comm, const std::string &path, std::int64_t elements);

/// Writes all elements with MPI_File_write_all; a process' are those from number `first`.
std::string write_file(MPI_Comm comm, const std::string &path, std::int64_t first, std::span<const double> mine);

/// How many of this process' elements differ from those of the file, bit by bit; all where it cannot be read.
std::int64_t wrong_in_file(const std::string &path, std::int64_t first, std::span<const double> mine);

}
