// SPDX-License-Identifier: BSD-3-Clause
// Elements that are dealt out, in global order and back: each process has one range of the array, of which some MiB at
// a time are gathered from the parts of all processes, or sent there.
#pragma once

#include "mpi/check.hpp"
#include "plan/distribution.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace nereus::job {

class GlobalOrder {
public:
    /// @param distribution  over all processes of `comm`
    /// @param extent        bytes of an element
    GlobalOrder(MPI_Comm comm, const plan::Distribution &distribution, std::int64_t extent);

    /// What this process has in global order.
    plan::Range range() const { return ranges_.range_of(rank_); }

    using Use = std::function<Done(plan::Range elements, const std::byte *bytes)>;
    using Fill = std::function<Done(plan::Range elements, std::byte *bytes)>;

    /// Collective: `use` gets what this process has in global order, ascending. Once it has failed it is not called
    /// again; the others are served to the end.
    Done gather(const std::byte *part, const Use &use) const;
    /// Collective: `fill` is asked for it.
    Done scatter(const Fill &fill, std::byte *part) const;

private:
    class Turn;

    std::int64_t turns() const;
    plan::Range window(int rank, std::int64_t turn) const;

    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 1;
    plan::Distribution distribution_;
    plan::Distribution ranges_; ///< of the processes, in global order
    std::int64_t extent_;
    std::int64_t window_; ///< elements that a process has of one turn at most
};

}
