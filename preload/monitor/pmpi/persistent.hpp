// SPDX-License-Identifier: BSD-3-Clause
// Persistent requests: what each start of one moves.
#pragma once

#include "record/cell.hpp"

#include <cstdint>
#include <mpi.h>
#include <vector>

namespace nereus::pmpi {

struct Move {
    monitor::Address address;
    std::uint64_t bytes;
};
using Moves = std::vector<Move>;

/// Behind the call that made the request.
void remember(MPI_Request request, Moves moves);

/// Before the call that starts them, and behind it: handles may be others then.
void starting(int number, const MPI_Request *requests);
void started(int number, const MPI_Request *requests);

/// Bytes that a start of them all sends to others.
std::uint64_t bytes_started(int number, const MPI_Request *requests);

/// Before the request is freed.
void forget(MPI_Request request);

}
