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
#include <string>
#include <vector>

namespace nereus::transfer {

/// The communicator in which sources and drains meet: an intra-communicator with the sources first, then the
/// newcomers, or an inter-communicator between sources and drains.
struct Lane {
    MPI_Comm comm;
    std::vector<int> drain_ranks; ///< rank of each drain

    int rank_of_source(int source) const { return source; }
    int rank_of_drain(int drain) const { return drain_ranks[static_cast<std::size_t>(drain)]; }
};

/// One array of one process: its old part, its new part, and what goes where.
struct Shipment {
    std::string name;
    plan::Move move;
    std::int64_t extent;   ///< bytes of an element
    const std::byte *from; ///< old part
    std::byte *to;         ///< new part
};

enum class Method { p2p, col };
enum class Strategy { blocking, nonblocking, wait_drains, thread };
struct Limits {
    std::int64_t message_bytes, memory_bytes;
};
class Sending {
public:
    Sending(Method m, Strategy, Lane l, std::vector<Shipment> s, Limits limits)
        : m_(m), l_(std::move(l)), s_(std::move(s)), limits_(limits) {}
    Done start() { return {}; }
    Result<bool> look(double) { return true; }
    Done finish(const Deadline &);
    void give_up() {}

private:
    Method m_;
    Lane l_;
    std::vector<Shipment> s_;
    Limits limits_;
};

/// Collective over the lane: all processes give the same arrays in the same order.
///
/// On an error MPI may still be writing to the new parts: they must be left where they are.
Done move(Method method, const Lane &lane, const std::vector<Shipment> &shipments, std::int64_t message_bytes,
          const Deadline &deadline);

/// Collective over the lane, after all shipments have arrived: compares a checksum (XXH3) of each piece between its
/// source and its drain. On a drain NEREUS_ERR_TRANSFER names the array and the source whose bytes differ.
Done verify(const Lane &lane, const std::vector<Shipment> &shipments, const Deadline &deadline);

/// Bytes that this process sends to others.
std::int64_t bytes_sent(const Shipment &shipment);

}
