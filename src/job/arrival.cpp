// SPDX-License-Identifier: BSD-3-Clause
#include "job/arrival.hpp"

#include "job/control/supervisor_client.hpp"
#include "mpi/share.hpp"

#include <utility>

namespace nereus::job {
namespace {

/// Of this process, which may open one job after another.
struct {
    std::optional<process::ParkedProcess> parked_process;
    std::optional<process::Arrival> woken;
    bool parent_taken = false;
    bool party_taken = false;
} own;

Result<mpi::Comm> everybody_here() { return mpi::Comm::duplicate(MPI_COMM_WORLD); }

Result<process::Arrival> spawned_by(MPI_Comm parent) {
    auto party = everybody_here();
    if (!party) return tl::unexpected(party.error());
    process::Arrival arrival{std::move(*party), nullptr, mpi::Comm(parent), std::nullopt};
    if (arrival.party.rank() == 0) arrival.line = std::make_unique<process::MessageLine>(parent, 0);
    return arrival;
}

Result<process::Arrival> started_by_supervisor(const Settings &settings) {
    auto party = everybody_here();
    if (!party) return tl::unexpected(party.error());
    process::Arrival arrival{std::move(*party), nullptr, mpi::Comm(), std::nullopt};
    Done found;
    if (arrival.party.rank() == 0) {
        auto way = way_of_party(settings);
        if (way) {
            arrival.line = std::move(way->line);
            arrival.number = way->number;
        } else {
            found = tl::unexpected(way.error());
        }
    }
    if (auto done = mpi::share_outcome(arrival.party.get(), 0, found); !done) return tl::unexpected(done.error());
    return arrival;
}

template <class T> Result<std::optional<T>> optional_of(Result<T> result) {
    if (!result) return tl::unexpected(result.error());
    return std::optional<T>(std::move(*result));
}

}

Result<std::optional<process::Arrival>> take_arrival(const Settings &settings) {
    if (own.woken) return std::exchange(own.woken, std::nullopt);
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL && !std::exchange(own.parent_taken, true)) return optional_of(spawned_by(parent));
    if (parent == MPI_COMM_NULL && !settings.party.empty() && !std::exchange(own.party_taken, true))
        return optional_of(started_by_supervisor(settings));
    return std::nullopt;
}

bool sleep_until_wanted(std::optional<process::ParkedProcess> parked_process) {
    if (parked_process) own.parked_process = std::move(parked_process);
    if (!own.parked_process) return false;
    own.woken = own.parked_process->sleep();
    if (!own.woken) own.parked_process.reset();
    return own.woken.has_value();
}

void unpark() {
    if (own.parked_process) own.parked_process->leave();
    own.parked_process.reset();
}

}
