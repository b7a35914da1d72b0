// SPDX-License-Identifier: BSD-3-Clause
// Finds out by trying what an MPI can do.
//
// In:  the path of this program, which is started a second time as a spawned process.
// Out: one JSON object a line on stdout, flushed at once, so that a trial that hangs or kills the program
//      leaves the answers of those before it. The first line describes the library; each other line is
//      {"feature": NAME, "works": true or false, "reason": TEXT}.
// Parent and child make the same trials in the same order; the parent alone reports.
#pragma once

#include <mpi.h>

#include <string>

namespace nereus::probe {

/// An MPI code as a sentence: the last line of its error text, which names the cause, without call addresses.
std::string reason_of(int code);

/// Write the line that describes the MPI library.
void report_library(int thread_level);

/// Spawn one process of `program` and try with it all that malleable jobs need. True when nothing waits for
/// the child any more, so that MPI_Finalize may be called.
bool try_as_parent(const char *program);

/// The child's side of try_as_parent().
void try_as_child(MPI_Comm parent);

} // namespace nereus::probe
