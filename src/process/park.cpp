// SPDX-License-Identifier: BSD-3-Clause
#include "process/park.hpp"

#include <malloc.h>
#include <poll.h>

#include <algorithm>

namespace nereus::process {
namespace {

using nlohmann::json;

constexpr int parked_nap_milliseconds = 50;
constexpr int tag_party = 6;

int rank_of(std::size_t sleeper) { return static_cast<int>(sleeper) + 1; }

}

void ParkingLots::add(mpi::Comm comm, std::vector<plan::World> worlds, std::vector<std::string> hosts) {
    std::vector<State> states(worlds.size(), State::asleep);
    lots_.push_back({std::move(comm), std::move(worlds), std::move(hosts), std::move(states)});
}

template <class T> std::vector<T> ParkingLots::of_parked(std::vector<T> Lot::*what) const {
    std::vector<T> all;
    for (const Lot &lot : lots_)
        for (std::size_t i = 0; i < lot.states.size(); ++i)
            if (lot.states[i] == State::asleep) all.push_back((lot.*what)[i]);
    return all;
}

std::vector<plan::World> ParkingLots::worlds() const { return of_parked(&Lot::worlds); }
std::vector<std::string> ParkingLots::hosts() const { return of_parked(&Lot::hosts); }

void ParkingLots::release(const std::vector<bool> &ends) {
    std::size_t next = 0;
    for (Lot &lot : lots_)
        for (std::size_t i = 0; i < lot.worlds.size(); ++i) {
            if (lot.states[i] != State::asleep || !ends[next++]) continue;
            MessageLine(lot.comm.get(), rank_of(i)).send({{"end", true}});
            lot.states[i] = State::gone;
        }
    drop_empty_lots();
}

/// A communicator is freed by all its members together, but those of a lot may leave it one by one: it is given up.
void ParkingLots::drop_empty_lots() {
    const auto gone = [](State sleeper) { return sleeper == State::gone; };
    for (Lot &lot : lots_)
        if (std::all_of(lot.states.begin(), lot.states.end(), gone)) lot.comm.abandon();
    std::erase_if(lots_, [](const Lot &lot) { return !lot.comm; });
}

std::vector<WokenParty> ParkingLots::wake(int count) {
    std::vector<WokenParty> parties;
    ++wakes_;
    auto wanted = static_cast<std::size_t>(count);
    for (Lot &lot : lots_) {
        const auto asleep = static_cast<std::size_t>(std::count(lot.states.begin(), lot.states.end(), State::asleep));
        const std::size_t now = std::min(wanted, asleep);
        if (now > 0) parties.push_back(wake_in(lot, now, parties.size()));
        wanted -= now;
    }
    return parties;
}

WokenParty ParkingLots::wake_in(Lot &lot, std::size_t count, std::size_t number) {
    WokenParty party;
    std::vector<int> ranks;
    for (std::size_t i = 0; i < lot.states.size() && ranks.size() < count; ++i) {
        if (lot.states[i] != State::asleep) continue;
        lot.states[i] = State::woken;
        ranks.push_back(rank_of(i));
        party.worlds.push_back(lot.worlds[i]);
    }
    const json word{{"wake", ranks}, {"all", ranks.size() == lot.states.size()}, {"number", number}, {"stamp", wakes_}};
    for (const int rank : ranks) MessageLine(lot.comm.get(), rank).send(word);
    party.line = std::make_unique<StampedLine>(lot.comm.get(), ranks.front(), wakes_);
    return party;
}

void ParkingLots::turn(State from, State to) {
    for (Lot &lot : lots_) std::replace(lot.states.begin(), lot.states.end(), from, to);
}

void ParkingLots::keep_the_woken() {
    for (Lot &lot : lots_)
        if (std::count(lot.states.begin(), lot.states.end(), State::woken) == std::ssize(lot.states))
            lot.comm.reset(); // all of them free it now: ParkedProcess::leave()
    std::erase_if(lots_, [](const Lot &lot) { return !lot.comm; });
    turn(State::woken, State::gone);
    drop_empty_lots();
}

void ParkingLots::put_back() { turn(State::woken, State::asleep); }

std::optional<Arrival> ParkedProcess::sleep() {
    malloc_trim(0);
    MessageLine line(lot_.get(), 0);
    while (true) {
        auto word = line.poll();
        if (!word) return std::nullopt; // the root is gone
        if (!*word) {
            poll(nullptr, 0, parked_nap_milliseconds);
            continue;
        }
        if ((*word)->contains("end")) {
            lot_.abandon();
            return std::nullopt;
        }
        if ((*word)->contains("wake"))
            if (auto arrival = wake(**word)) return arrival;
    }
}

std::optional<Arrival> ParkedProcess::wake(const json &word) {
    const auto ranks = word.at("wake").get<std::vector<int>>();
    all_woken_ = word.at("all");
    MPI_Group everybody = MPI_GROUP_NULL, woken = MPI_GROUP_NULL;
    MPI_Comm party = MPI_COMM_NULL;
    MPI_Comm_group(lot_.get(), &everybody);
    MPI_Group_incl(everybody, static_cast<int>(ranks.size()), ranks.data(), &woken);
    const int code = MPI_Comm_create_group(lot_.get(), woken, tag_party, &party);
    MPI_Group_free(&woken);
    MPI_Group_free(&everybody);
    if (code != MPI_SUCCESS) return std::nullopt;
    Arrival arrival;
    arrival.party = mpi::Comm(party);
    arrival.number = word.at("number").get<std::size_t>();
    if (arrival.party.rank() == 0)
        arrival.line = std::make_unique<StampedLine>(lot_.get(), 0, word.at("stamp").get<std::uint64_t>());
    return arrival;
}

void ParkedProcess::leave() {
    if (all_woken_)
        lot_.reset();
    else
        lot_.abandon();
}

}
