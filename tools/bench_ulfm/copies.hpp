// SPDX-License-Identifier: BSD-3-Clause
// What a job keeps in memory against the death of a process: its own block, and that of the neighbour below.
//
// Two sets of copies take turns, so that one is whole whenever a process dies. Where somebody dies while they are made,
// some processes have the new ones and others have not; those that are left take the latest that all have. With it all
// blocks are there as long as no two neighbours die at the same time; Fenix keeps data in this way (Gamell et al., SC
// 2014).
#pragma once

#include "blocks.hpp"

#include <mpi.h>

#include <array>
#include <stdexcept>

namespace ulfm_bench {

/// MPI has told of the death of a process; the communicator is of no use any more.
struct ProcessDied : std::runtime_error {
    ProcessDied() : std::runtime_error("a process died") {}
};

/// Throws ProcessDied, or std::runtime_error for other errors.
void check(int code);

class Copies {
public:
    /// Collective; after a ProcessDied the copies of before are this process' latest.
    void make(MPI_Comm comm, const Elements &data, std::int64_t iteration);

    /// Collective over those that are left: the latest are those that all have. Throws std::runtime_error where there
    /// are none.
    void take_common(MPI_Comm comm);

    /// Of the latest copies: when they were made, and by which rank of how many.
    std::int64_t iteration() const { return latest().iteration; }
    int rank() const { return latest().rank; }
    int processes() const { return latest().processes; }

    /// Collective over those that are left, and newcomers, which have no copies: this process' block of the data.
    /// @param blocks  how it is to lie now
    /// @param former  how it lay when the copies were made
    Elements restored(MPI_Comm comm, const Blocks &blocks, const Blocks &former) const;

private:
    struct Set {
        std::int64_t iteration = -1; ///< below 0: there are none
        int rank = 0, processes = 0;
        Elements own, of_neighbour;
    };

    const Set &latest() const { return sets_[newest_]; }
    std::vector<int> holders(MPI_Comm comm, int former_processes) const;
    const Elements &copy_of(int former_rank) const;

    std::array<Set, 2> sets_;
    std::size_t newest_ = 0;
};

}
