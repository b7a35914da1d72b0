// SPDX-License-Identifier: BSD-3-Clause
#include "partners.hpp"

#include <algorithm>
#include <cstddef>

namespace emulator {

namespace {

int on_their_node(const std::vector<int> &nodes, int by) {
    int count = 0;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank)
        count += nodes[rank] == nodes[(rank + static_cast<std::size_t>(by)) % nodes.size()];
    return count;
}

// Of each rank, the lowest rank of the team that shares its memory.
std::vector<int> nodes_of(const Team &team) {
    MPI_Comm shared = MPI_COMM_NULL;
    MPI_Comm_split_type(team.comm, MPI_COMM_TYPE_SHARED, team.rank, MPI_INFO_NULL, &shared);
    int first = team.rank;
    MPI_Bcast(&first, 1, MPI_INT, 0, shared);
    MPI_Comm_free(&shared);
    std::vector<int> nodes(static_cast<std::size_t>(team.size));
    MPI_Allgather(&first, 1, MPI_INT, nodes.data(), 1, MPI_INT, team.comm);
    return nodes;
}

} // namespace

int partner_distance(const std::vector<int> &nodes) {
    const int size = static_cast<int>(nodes.size()), half = size / 2;
    int best = half, fewest = on_their_node(nodes, half);
    for (int off = 1; off < size && fewest > 0; ++off)
        for (const int tried : {half + off, half - off}) {
            if (tried < 1 || tried >= size) continue;
            const int stay = on_their_node(nodes, tried);
            if (stay < fewest) best = tried, fewest = stay;
        }
    return best;
}

Partners partners_in(const Team &team) {
    const int by = partner_distance(nodes_of(team));
    return {(team.rank + by) % team.size, (team.rank - by + team.size) % team.size};
}

} // namespace emulator
