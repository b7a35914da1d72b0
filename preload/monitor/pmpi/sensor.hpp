// SPDX-License-Identifier: BSD-3-Clause
// The sensor that stands between a program and its MPI: wrappers of all calls that move data (calls.toml), and from
// MPI_Init to MPI_Finalize one record of this process.
//
// In:  calls of the program, from any thread.
// Out: a record (preload/monitor/record), and at the end one file for all processes of the world (gather.hpp).
// Calls PMPI only, so that nothing of what it does is taken for the program's.
#pragma once

#include "record/record.hpp"

#include <atomic>
#include <mpi.h>

namespace nereus::pmpi {

extern std::atomic<bool> recording;

/// Whether calls are recorded now: one look at a word, and what a wrapper costs while the monitor is off.
inline bool on() { return recording.load(std::memory_order_relaxed); }

/// Whether there is a record; it is kept while recording is switched off.
bool has_record();
/// Of this process; only where there is one.
monitor::Record &record();

/// The processes that tell one story.
struct World {
    MPI_Comm all = MPI_COMM_WORLD; ///< the program's
    /// Makes a communicator of all of them that is ours. Collective.
    int (*make_own)(MPI_Comm all, MPI_Comm *own) = PMPI_Comm_dup;
};

/// Behind MPI_Init, MPI_Init_thread; `sensor` is what the record says of how it sees. Collective over the world; where
/// not all processes have this sensor, it gives up after a time limit, says so and records nothing.
void begin(const char *sensor = "pmpi", const World &world = {});

/// Our communicator of the processes of the record; only where there is one.
MPI_Comm own_world();

/// Before MPI_Finalize. Collective over the world: writes the file.
void end();

/// The same, where others may end later or never: waits for them no longer than the time limit, and leaves the record
/// of this process where it lies.
void end_if_all_do();

/// Before MPI_Abort: what was recorded stays where the record lies.
void abort();

}
