// SPDX-License-Identifier: BSD-3-Clause
// What MPI_Finalize does first (MPI 4.0, section 11.2.4: the attributes of MPI_COMM_SELF are deleted before anything
// else), since it must not find it undone. Each function may be called by any thread, before MPI_Finalize.
#pragma once

#include <mpi.h>

#include <functional>

namespace nereus::mpi {

/// `wait` returns when a thread that was left in an MPI call has come out of it: MPI must not be finalized under it.
void finalize_waits(std::function<void()> wait);

/// Frees `comm`, once all threads are waited for.
void finalize_frees(MPI_Comm comm);

}
