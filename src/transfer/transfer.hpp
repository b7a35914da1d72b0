// SPDX-License-Identifier: BSD-3-Clause
// Moves the bytes of a plan from sources to drains.
//
// In:  what each array's move is (src/plan), one communicator that holds all sources and drains, where the bytes lie.
// Out: bytes at their drains; how many travelled; nothing else changes.
// A method says which MPI calls carry the bytes: one file each, behind method.hpp. A strategy says who waits for them:
// session.cpp. Bytes travel in segments, so that a transfer needs little memory and can go on in short looks.
// Knows nothing of jobs, registries or processes.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "plan/move.hpp"
#include "transfer/windows.hpp"

#include <mpi.h>
#include <nereus/resize.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace nereus::transfer {

/// The communicator in which sources and drains meet: an intra-communicator, or an inter-communicator between them.
struct Lane {
    MPI_Comm comm;
    std::vector<int> drain_ranks;    ///< rank of each drain
    std::vector<int> source_ranks{}; ///< rank of each source; empty: source s is rank s

    int rank_of_source(int source) const {
        return source_ranks.empty() ? source : source_ranks[static_cast<std::size_t>(source)];
    }
    int rank_of_drain(int drain) const { return drain_ranks[static_cast<std::size_t>(drain)]; }
};

/// One array of one process: its old part, its new part, and what goes where.
struct ArrayTransfer {
    std::string name;
    plan::Move move;
    std::int64_t extent;   ///< bytes of an element
    const std::byte *from; ///< old part
    std::byte *to;         ///< new part
};

/// Not NEREUS_TRANSFER_AUTO.
using Method = nereus_transfer_method;

/// Not NEREUS_STRATEGY_AUTO.
using Strategy = nereus_transfer_strategy;

/// Of a core or of an iteration, for a transfer beside the application: 0 < share <= 1.
struct BackgroundShares {
    double two_sided = 0.2;
    double one_sided = 0.02;
    double thread = 0.03;
};

/// The same on all processes of a lane, but for `ranks_on_host`.
struct Limits {
    std::int64_t message_bytes = std::int64_t{1} << 30; ///< longest message, 1 .. 2^31-1
    std::int64_t memory_bytes = std::int64_t{64} << 20; ///< most that is in flight at a process, from 1
    int ranks_on_host =
        1; ///< that share this host's cores meanwhile: are they more, a drain takes a share of a core only
    double polite_seconds = std::numeric_limits<double>::infinity(); ///< after which it takes what it can get
    BackgroundShares shares{};
};

/// One transfer of one process. All processes of the lane make one with the same method, strategy and arrays in the
/// same order, and do nothing collective on the lane's communicator before it is done.
class Sending {
public:
    /// @param windows  where one-sided methods find and leave their windows; outlives the sending
    Sending(Method method, Strategy strategy, Lane lane, std::vector<ArrayTransfer> array_transfers, Limits limits,
            Windows &windows);
    Sending(Sending &&other) noexcept;
    Sending &operator=(Sending &&other) noexcept;
    ~Sending(); ///< gives up what is not done

    /// Collective over the lane; does not wait for data. One-sided methods make their windows in here where the program
    /// has no MPI_THREAD_MULTIPLE, which waits for all: until `deadline`.
    Done start(const Deadline &deadline = Deadline::never());

    /// Of the time between two looks, how much one may take of a process that has other things to do.
    double share() const;

    /// One step, for a process that has other things to do; takes about `seconds` at most.
    ///
    /// @return whether this process needs nothing more of the transfer and nothing more is needed of it: its own sends
    ///         and receives are complete (blocking, nonblocking), those of all are (wait_drains and one-sided methods),
    ///         its thread has ended (thread)
    Result<bool> look(double seconds);

    /// Steps until look() would return true. On an error, also that of the deadline, the sending has been given up.
    Done finish(const Deadline &deadline);

    /// Waits for nobody: peers may be dead. What MPI may still read or write is left to it for ever; so must be the
    /// parts of the array transfers, the communicator, and the windows (Windows::abandon()).
    void give_up();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Collective over the lane: all processes give the same arrays in the same order.
///
/// On an error MPI may still be writing to the new parts: they must be left where they are.
Done move(Method method, const Lane &lane, const std::vector<ArrayTransfer> &array_transfers,
          std::int64_t message_bytes, const Deadline &deadline);

/// Collective over the lane, after all array transfers have arrived: compares a checksum (XXH3) of each piece between
/// its source and its drain. On a drain NEREUS_ERR_TRANSFER names the array and the source whose bytes differ.
Done verify(const Lane &lane, const std::vector<ArrayTransfer> &array_transfers, const Deadline &deadline);

/// The checksum that verify() compares, of `count` bytes.
std::uint64_t checksum(const std::byte *bytes, std::int64_t count);

/// Bytes that this process sends to others.
std::int64_t bytes_sent(const ArrayTransfer &array_transfer);

}
