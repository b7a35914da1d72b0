// SPDX-License-Identifier: BSD-3-Clause
// A model of the messages that MPICH makes of a collective: nobody sees them, they are what its algorithms send.
//
// Algorithms: Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication operations in MPICH". Which
// one is taken at which size is MPICH's default, or what its control variables say. Left out: reductions that do not
// commute, communicators with two sides, and what MPICH does in the memory of a host or host by host.
//
// With MPIR_CVAR_NOLOCAL=1, where it knows of no hosts, MPICH 5.0.2 hands UCX just these messages, by peer and size:
// compared for 8 to 240,000 bytes on 2, 3, 7, 8, 9, 12 and 16 ranks; in a gather by peer alone, since it packs.
#pragma once

#include "record/cell.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace nereus::monitor {

/// Bytes from which on another algorithm is taken; the names are those of MPICH's control variables, in small letters.
struct MpichLimits {
    std::uint64_t bcast_short_msg_size = 12288;
    std::uint64_t bcast_long_msg_size = 524288;
    std::uint64_t bcast_min_procs = 8;
    std::uint64_t reduce_short_msg_size = 2048;
    std::uint64_t allreduce_short_msg_size = 2048;
    std::uint64_t allgather_short_msg_size = 81920;
    std::uint64_t allgather_long_msg_size = 524288;
    std::uint64_t alltoall_short_msg_size = 256;
    std::uint64_t red_scat_commutative_long_msg_size = 524288;
};

struct CollectiveCall {
    Call call = Call::none;
    int rank = 0, ranks = 1;
    int root = 0;
    /// What goes from or to each rank; for bcast, reduce, allreduce and scans all ranks have the whole, in the first.
    /// One size stands for all ranks where they are equal.
    std::vector<std::uint64_t> sizes{};
    std::uint64_t elements = 1; ///< of a reduction: below the number of ranks it is not split

    std::uint64_t size_of(int of_rank) const {
        return sizes.size() == 1 ? sizes.front() : sizes[static_cast<std::size_t>(of_rank)];
    }
    /// Of `number` ranks from `first` on, around the end.
    std::uint64_t sum_of(int first, int number) const;
};

using TakeSent = std::function<void(int to, std::uint64_t bytes)>;

/// What the rank of the call sends.
void sent_by_mpich(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take);

}
