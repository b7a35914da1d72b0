// SPDX-License-Identifier: BSD-3-Clause
// Processes that are not needed but cannot end: they sleep until the processes of their MPI_COMM_WORLD end too.
//
// A lot is one communicator of the root (rank 0) and the processes that were parked by one resize. The root of a job
// never parks: with Merge it goes on, with Baseline everybody's world ends.
#pragma once

#include "mpi/comm.hpp"
#include "plan/release.hpp"

#include <vector>

namespace nereus::process {

/// The root's side of the sleeping processes.
class ParkingLots {
public:
    /// @param worlds  of ranks 1.. of `comm`
    void add(mpi::Comm comm, std::vector<plan::World> worlds);

    /// Worlds of all that sleep, in a fixed order.
    std::vector<plan::World> worlds() const;

    /// Lets those end for which `ends` is set, in the order of worlds().
    void release(const std::vector<bool> &ends);
    void release_all() { release(std::vector<bool>(worlds().size(), true)); }

private:
    struct Lot {
        mpi::Comm comm;
        std::vector<plan::World> worlds;
        std::vector<bool> asleep;
    };
    std::vector<Lot> lots_;
};

/// Sleeps until the root says that this process may end. Uses next to no time: it looks up 20 times a second.
void sleep_in(mpi::Comm lot);

}
