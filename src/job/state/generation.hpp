// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job between two resizes.
#pragma once

#include "mpi/comm.hpp"
#include "plan/process_fate.hpp"
#include "process/process_id.hpp"
#include "transfer/windows.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace nereus::job {

/// A name that no other MPI_COMM_WORLD has.
inline plan::World new_world() {
    std::random_device random;
    return (static_cast<plan::World>(random()) << 32) | random();
}

struct Generation {
    std::int64_t number = 0;
    plan::World first_world = 0;               ///< of rank 0 of the job's first generation: no other job has it
    mpi::Comm control;                         ///< Nereus' own
    mpi::Comm application;                     ///< what nereus_comm() returns
    std::vector<plan::World> worlds;           ///< of each rank
    std::vector<std::string> hosts;            ///< of each rank
    std::vector<process::ProcessId> processes; ///< of each rank; on rank 0
    mpi::Comm lane;                            ///< over which its processes move data: make_lane()
    transfer::Windows windows;                 ///< on the lane: for the next shrink where one was rolled back
};

/// Collective, before data first goes over it: the application's checkpoints go on using `control` meanwhile.
inline Done make_lane(Generation &generation) {
    if (generation.lane) return {};
    auto made = mpi::Comm::duplicate(generation.control.get());
    if (!made) return tl::unexpected(made.error());
    generation.lane = std::move(*made);
    return {};
}

/// Which job this is, where nobody started it by a name: 16 digits.
inline std::string key_of(const Generation &generation) {
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(generation.first_world));
    return digits.data();
}

/// Whether all processes were started together, by one mpiexec or one spawn.
inline bool is_of_one_world(const Generation &generation) {
    return std::set(generation.worlds.begin(), generation.worlds.end()).size() <= 1;
}

}
