// SPDX-License-Identifier: BSD-3-Clause
// Processes that are not needed but cannot end: they sleep until they are woken as newcomers of a later resize, or
// until the processes of their MPI_COMM_WORLD end too.
//
// A lot is one communicator of the root (rank 0) and the processes that were parked by one resize. The root of a job
// never parks: with Merge it goes on, with Baseline everybody's world ends.
#pragma once

#include "mpi/comm.hpp"
#include "plan/process_fate.hpp"
#include "process/arrival.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace nereus::process {

/// Processes of one lot that were woken together: a party of newcomers.
struct WokenParty {
    std::unique_ptr<Line> line;
    std::vector<plan::World> worlds; ///< of each
};

/// The root's side of the sleeping processes.
class ParkingLots {
public:
    /// @param worlds, hosts  of ranks 1.. of `comm`
    void add(mpi::Comm comm, std::vector<plan::World> worlds, std::vector<std::string> hosts);

    /// Worlds and hosts of all that sleep, in the order in which they are woken.
    std::vector<plan::World> worlds() const;
    std::vector<std::string> hosts() const;

    /// Lets those end for which `ends` is set, in the order of worlds().
    void release(const std::vector<bool> &ends);
    void release_all() { release(std::vector<bool>(worlds().size(), true)); }

    /// Wakes `count` processes, or all that sleep when these are fewer. One resize at a time.
    std::vector<WokenParty> wake(int count);
    void keep_the_woken(); ///< the resize is committed: they are the job's
    void put_back();       ///< the resize was rolled back: they sleep again

private:
    enum class State { asleep, woken, gone };
    struct Lot {
        mpi::Comm comm;
        std::vector<plan::World> worlds;
        std::vector<std::string> hosts;
        std::vector<State> states;
    };
    template <class T> std::vector<T> of_parked(std::vector<T> Lot::*what) const;
    WokenParty wake_in(Lot &lot, std::size_t count, std::size_t number);
    void turn(State from, State to);
    void drop_empty_lots();

    std::vector<Lot> lots_;
    std::uint64_t wakes_ = 0;
};

/// The process' side: a place in a lot.
class ParkedProcess {
public:
    explicit ParkedProcess(mpi::Comm lot) : lot_(std::move(lot)) {}

    /// Sleeps until the root says that this process may end (nothing), or is wanted. Uses next to no time: it looks up
    /// 20 times a second.
    std::optional<Arrival> sleep();

    /// This process is in the job again.
    void leave();

private:
    std::optional<Arrival> wake(const nlohmann::json &word);

    mpi::Comm lot_;
    bool all_woken_ = false; ///< nobody is left in the lot
};

}
