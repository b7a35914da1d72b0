// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/clock_offset.hpp"

#include "record/event_ring.hpp"

#include <array>
#include <cstring>
#include <fstream>
#include <vector>

namespace nereus::pmpi {
namespace {

constexpr int round_trips = 50;
constexpr int clock_tag = 0;

void answer(MPI_Comm comm, int asker) {
    for (int i = 0; i < round_trips; ++i) {
        char nothing = 0;
        PMPI_Recv(&nothing, 1, MPI_CHAR, asker, clock_tag, comm, MPI_STATUS_IGNORE);
        std::int64_t now = monitor::monotonic_now();
        PMPI_Send(&now, 1, MPI_INT64_T, asker, clock_tag, comm);
    }
}

ClockOffset ask_root(MPI_Comm comm) {
    ClockOffset best{0, INT64_MAX};
    for (int i = 0; i < round_trips; ++i) {
        const std::int64_t begin = monitor::monotonic_now();
        char nothing = 0;
        std::int64_t there = 0;
        PMPI_Send(&nothing, 1, MPI_CHAR, 0, clock_tag, comm);
        PMPI_Recv(&there, 1, MPI_INT64_T, 0, clock_tag, comm, MPI_STATUS_IGNORE);
        const std::int64_t half = (monitor::monotonic_now() - begin + 1) / 2;
        if (half < best.error) best = {there - (begin + half), half};
    }
    return best;
}

}

std::string boot_id() {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id;
}

ClockOffset offset_to_root(MPI_Comm comm, const std::string &clock) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    std::array<char, 64> of_root{};
    if (rank == 0) std::strncpy(of_root.data(), clock.c_str(), of_root.size() - 1);
    PMPI_Bcast(of_root.data(), static_cast<int>(of_root.size()), MPI_CHAR, 0, comm);
    const int asks = rank != 0 && (clock.empty() || clock.compare(0, of_root.size() - 1, of_root.data()) != 0);
    std::vector<int> all(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
    PMPI_Gather(&asks, 1, MPI_INT, all.data(), 1, MPI_INT, 0, comm);
    for (int asker = 1; asker < static_cast<int>(all.size()); ++asker)
        if (all[static_cast<std::size_t>(asker)]) answer(comm, asker);
    return asks ? ask_root(comm) : ClockOffset{};
}

}
