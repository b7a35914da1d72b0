// SPDX-License-Identifier: BSD-3-Clause
// A communicator of Nereus' own beside one of the application, whose messages it never sees.
#pragma once

#include "base/error.hpp"

#include <mpi.h>

namespace nereus::redistribution {

/// One of the same processes that returns errors: made at the first call, which is collective, found at later ones,
/// freed with `comm`. After an error on it, it must not be used again: messages may still be under way.
Result<MPI_Comm> own_comm_of(MPI_Comm comm);

}
