// SPDX-License-Identifier: BSD-3-Clause
// The unit of the record: how often and how much was moved from this process to one place in one way.
//
// A cell has one writer, the thread that made it, and any number of readers, also in other processes: its counters are
// relaxed atomics that are loaded and stored, never exchanged, so that counting costs what plain additions cost.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace nereus::monitor {

enum class Kind : std::uint8_t { point_to_point, collective, decomposed, put, get, read, write };

/// To whom a message of the cell goes: `peer`, each other process of the communicator, each with a higher rank, or none
/// (the call was made, and this process had nothing to send in it).
enum class Reach : std::uint8_t { peer, all, higher, nobody };

enum class Call : std::uint8_t {
    none,
    barrier,
    bcast,
    gather,
    scatter,
    allgather,
    alltoall,
    reduce,
    allreduce,
    reduce_scatter,
    scan,
    exscan,
    neighbor_allgather,
    neighbor_alltoall
};

/// What a cell counts. Two cells of one address are added up when they are read: they are of two threads.
struct Address {
    Kind kind = Kind::point_to_point;
    Call call = Call::none;
    Reach reach = Reach::peer;
    std::uint8_t phase = 0; ///< number of the phase of the program in this process; 0: of none
    std::uint32_t generation = 0;
    std::uint32_t scope = 0; ///< number of the communicator or the file in this process; 0: of all communicators
    std::uint64_t peer = 0;  ///< world << 32 | rank in it, see worlds.hpp; 0 where the reach is not Reach::peer

    auto operator<=>(const Address &) const = default;
};

/// Sizes by powers of two: 0 bytes in bin 0, 2^k to 2^(k+1) - 1 bytes in bin k + 1.
inline constexpr int bins = 65;
inline int bin_of(std::uint64_t bytes) { return std::bit_width(bytes); }

using Counter = std::atomic<std::uint64_t>;

inline void add(Counter &counter, std::uint64_t more) {
    counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}
inline std::uint64_t get(const Counter &counter) { return counter.load(std::memory_order_relaxed); }

/// What stands before every block of an arena, so that a reader finds the next.
struct BlockHead {
    std::atomic<std::uint32_t> type{0}; ///< set when the block is complete
    std::uint32_t bytes = 0;            ///< with this head
};

struct alignas(64) Cell {
    static constexpr std::uint32_t type = 1;

    explicit Cell(const Address &of)
        : kind(of.kind), call(of.call), reach(of.reach), phase(of.phase), generation(of.generation), scope(of.scope),
          peer(of.peer) {}
    Address address() const { return {kind, call, reach, phase, generation, scope, peer}; }

    BlockHead head;
    Kind kind;
    Call call;
    Reach reach;
    std::uint8_t phase;
    std::uint32_t generation;
    std::uint32_t scope;
    std::atomic<std::uint32_t> window{0}; ///< the latest in which anything was counted
    std::uint64_t peer;
    Counter messages{0};
    Counter bytes{0};
    Counter messages_before_window{0};
    Counter bytes_before_window{0};
    std::array<Counter, bins> histogram{}; ///< messages by their size
};
static_assert(sizeof(BlockHead) == 8 && offsetof(Cell, histogram) == 64, "counters share the first line of the cache");

}
