// SPDX-License-Identifier: BSD-3-Clause
// Which process a rank of any communicator is: rank r of world w is the peer w << 32 | r, however communicators are
// split.
//
// World 0 is this process's own MPI_COMM_WORLD, or all processes of a program that has sessions only. Processes of
// others, which were spawned or connected, get numbers from 1 in the order in which this process met them; a rank in
// such a world is a place in the group in which it was met.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

namespace nereus::pmpi {

class Worlds {
public:
    std::uint64_t peer(MPI_Group group, int rank);

    /// All processes of the group, as [world, first rank, number, step] for each run of ranks that are evenly spaced.
    nlohmann::ordered_json runs(MPI_Group group, int size);

    /// Ends all use of groups.
    void clear();

private:
    std::vector<std::uint64_t> peers(MPI_Group group, const std::vector<int> &ranks);
    void meet_strangers(MPI_Group group);

    std::mutex guard_;
    std::vector<MPI_Group> groups_; ///< of the worlds
};

Worlds &worlds();

}
