// SPDX-License-Identifier: BSD-3-Clause
// Messages whose length their sender knows alone, and whose receiver may be late or dead.
#pragma once

#include "base/clock.hpp"
#include "mpi/share.hpp"

namespace nereus::mpi {

/// Sends without waiting. A message to the dead is never complete: its bytes belong to MPI then, and are lost on
/// purpose.
Done post(MPI_Comm comm, int rank, int tag, const Bytes &bytes);

/// Whether a message of `rank` is there. Asks MPI times_to_ask times.
Result<bool> has_message(MPI_Comm comm, int rank, int tag);

/// Waits for a message of `rank`, asleep when it takes long.
Result<Bytes> receive(MPI_Comm comm, int rank, int tag, const Deadline &deadline = Deadline::never());

}
