// SPDX-License-Identifier: BSD-3-Clause
// Moves the bytes of a plan from sources to drains.
//
// In:  what each array's move is (src/plan), one communicator that holds all sources and drains, where the bytes lie.
// Out: bytes at their drains; how many travelled; nothing else changes.
// A method says which MPI calls carry the bytes: one file each, and one line in method_table.cpp.
// Knows nothing of jobs, registries or processes.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "plan/move.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nereus::transfer {

/// The communicator in which sources and drains meet: an intra-communicator with the sources first, or an
/// inter-communicator between sources and drains.
struct Lane {
    MPI_Comm comm;
    int first_drain; ///< rank of drain 0; 0 where a peer's number is its rank already

    int rank_of_source(int source) const { return source; }
    int rank_of_drain(int drain) const { return first_drain + drain; }
};

/// One array of one process: its old part, its new part, and what goes where.
struct Shipment {
    plan::Move move;
    std::int64_t extent;   ///< bytes of an element
    const std::byte *from; ///< old part
    std::int64_t from_first;
    std::byte *to; ///< new part
    std::int64_t to_first;

    const std::byte *outgoing(plan::Range elements) const { return from + (elements.first - from_first) * extent; }
    std::byte *incoming(plan::Range elements) const { return to + (elements.first - to_first) * extent; }
    std::int64_t bytes(plan::Range elements) const { return elements.count() * extent; }
};

enum class Method { p2p, col };

/// Collective over the lane: all processes give the same arrays in the same order.
///
/// On an error MPI may still be writing to the new parts: they must be left where they are.
Done move(Method method, const Lane &lane, const std::vector<Shipment> &shipments, std::int64_t message_bytes,
          const Deadline &deadline);

/// Bytes that this process sends to others.
std::int64_t bytes_sent(const Shipment &shipment);

}
