// SPDX-License-Identifier: BSD-3-Clause
#include "process/park.hpp"

#include <malloc.h>
#include <poll.h>

#include <algorithm>

namespace nereus::process {
namespace {

constexpr int tag_end = 3;
constexpr int nap_milliseconds = 50;

}

void ParkingLots::add(mpi::Comm comm, std::vector<plan::World> worlds) {
    std::vector<bool> asleep(worlds.size(), true);
    lots_.push_back({std::move(comm), std::move(worlds), std::move(asleep)});
}

std::vector<plan::World> ParkingLots::worlds() const {
    std::vector<plan::World> all;
    for (const Lot &lot : lots_)
        for (std::size_t i = 0; i < lot.worlds.size(); ++i)
            if (lot.asleep[i]) all.push_back(lot.worlds[i]);
    return all;
}

void ParkingLots::release(const std::vector<bool> &ends) {
    std::size_t next = 0;
    for (Lot &lot : lots_)
        for (std::size_t i = 0; i < lot.worlds.size(); ++i) {
            if (!lot.asleep[i] || !ends[next++]) continue;
            const char word = 0;
            MPI_Send(&word, 1, MPI_BYTE, static_cast<int>(i) + 1, tag_end, lot.comm.get());
            lot.asleep[i] = false;
        }
    // A communicator is freed by all its members together, but those of a lot may end one by one: it is given up.
    for (Lot &lot : lots_)
        if (std::none_of(lot.asleep.begin(), lot.asleep.end(), [](bool sleeps) { return sleeps; })) lot.comm.abandon();
    std::erase_if(lots_, [](const Lot &lot) { return !lot.comm; });
}

void sleep_in(mpi::Comm lot) {
    malloc_trim(0);
    char word = 0;
    int told = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Irecv(&word, 1, MPI_BYTE, 0, tag_end, lot.get(), &request) != MPI_SUCCESS) return;
    while (MPI_Test(&request, &told, MPI_STATUS_IGNORE) == MPI_SUCCESS && told == 0) poll(nullptr, 0, nap_milliseconds);
    lot.abandon();
}

}
