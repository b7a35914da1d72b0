// SPDX-License-Identifier: BSD-3-Clause
// An exit without MPI_Finalize, made so that Hydra sees it. MPI_Abort of a process that is alone in its world, as a
// newcomer may be, is no more than exit() in MPICH 4 and 5. Hydra's proxy ends the other ranks when it finds the PMI
// connection of a process closed; has it reaped the process before, it takes the others for ended, and they wait for
// ever. It looks for processes to reap after each event, also when output of theirs is closed: the connection has to
// be closed first. Linux closes what a process leaves open from the highest number down (since 4.3; a file that has
// several numbers goes by the highest), and Hydra's newcomers have their output under numbers above the connection's.
#pragma once

namespace nereus::mpi {

/// From now on, at each exit() of this process that MPI_Finalize did not come before. Once is enough; any thread.
void let_launcher_see_unfinalized_exits();

/// For an _exit() that follows. Does nothing where the launcher gave no PMI connection by its number (PMI_FD).
void let_connection_close_first();

}
