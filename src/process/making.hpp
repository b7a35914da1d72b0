// SPDX-License-Identifier: BSD-3-Clause
// The newcomers of one resize, from the wish to a meeting with the sources: woken, spawned in one of the ways of
// Martín-Álvarez et al. 2024, section 4.2, or started by the supervisor.
//
//     spawn, wake, start  ->  all leaders say hello  ->  orders  ->  parties join by a tree  ->  all sources accept
//
// prepare() does all but the last when every source takes part in spawning; else rank 0 begins and looks from time to
// time, while the application iterates. connect() is the last step.
#pragma once

#include "mpi/bounded_call.hpp"
#include "mpi/port.hpp"
#include "process/meeting.hpp"
#include "process/park.hpp"
#include "process/process_id.hpp"
#include "process/program.hpp"
#include "process/starter.hpp"

#include <map>

namespace nereus::process {

/// What is to be made; the same on all sources.
struct Wanted {
    Method method = NEREUS_MERGE;
    unsigned strategies = 0;          ///< bits of base/strategies.hpp, never automatic
    int newcomers = 0;                ///< all together
    std::size_t woken = 0;            ///< parties that sleep; they come first
    std::vector<plan::Party> parties; ///< to be made
    std::size_t all_parties() const { return woken + parties.size(); }
};

/// What the leader of a party says when all of it are up.
struct Hello {
    std::string port; ///< "": it cannot open one
    std::vector<std::string> hosts;
    std::vector<ProcessId> processes;
};

class Making {
public:
    /// @param members  all sources, for this resize alone while it is made in a thread
    /// @param woken    on rank 0
    /// @param starter  on rank 0; outlives this; NULL unless the strategy is join
    Making(MPI_Comm members, Wanted wanted, const Program &program, std::vector<WokenParty> woken, Starter *starter);

    /// Whether every source takes part in making.
    bool collective() const;

    /// Collective: makes everything ready for connect(). For those that are collective().
    Done prepare(const Deadline &deadline);

    /// Rank 0, where making is not collective. Takes the time of MPI_Comm_spawn with the strategy single.
    Done begin();
    /// Rank 0: whether connect() can be called.
    Result<bool> look();

    /// Collective. @param seconds  limit of the supervisor for newcomers that do not come
    Result<Meeting> connect(double seconds, const Deadline &deadline);

    /// Rank 0: whether newcomers are in MPI_Comm_connect, or soon will be, and nobody ends them: they can be told that
    /// they are not wanted only after connect().
    bool awaited() const;

    /// Rank 0, before the job ends: MPICH's MPI_Comm_spawn returns before all spawned processes have reached this one;
    /// those that do not find it abort in MPI_Init, and the job with them. Waits until all are up, or one cannot be.
    void wait_for_spawned(const Deadline &deadline);

    /// Tells the newcomers, where they are not connected yet. Waits for nobody.
    void roll_back(const std::string &why);

    /// Rank 0, when all are up: host and process of each newcomer, and when the last one was up.
    std::vector<std::string> hosts() const;
    std::vector<ProcessId> processes() const;
    double up_at() const { return up_at_; }
    bool all_up() const { return stage_ != Stage::coming; }

private:
    enum class Stage { coming, joining, ready };

    bool has(unsigned strategy) const { return (wanted_.strategies & strategy) != 0; }
    bool root() const { return rank_ == 0; }
    bool direct() const;
    Done spawn_on(MPI_Comm spawners, std::size_t party, bool talks);
    Done spawn_all();
    Done spawn_with_all();
    Done spawn_alone(std::size_t first, std::size_t step);
    Done begin_to_make();
    Done order_all();
    Done collect_hellos(const Deadline &deadline);
    Done wait_until_ready(const Deadline &deadline);
    Result<bool> everybody_is_up();
    Result<nlohmann::json> orders();
    Done send_orders(const nlohmann::json &orders);
    void note_up();
    template <class T> std::vector<T> of_all(std::vector<T> Hello::*what) const;
    Result<mpi::Comm> accept(double seconds);

    MPI_Comm members_;
    Wanted wanted_;
    const Program &program_;
    Starter *starter_;
    std::optional<mpi::Hearing> hearing_; ///< on rank 0, of what the starter hears
    int rank_ = 0, sources_ = 1;
    Stage stage_ = Stage::coming;
    bool ordered_ = false;           ///< the newcomers know where to connect, and look at their lines no more
    mpi::Comm alone_;                ///< this process, with errors returned
    std::vector<mpi::Comm> spawned_; ///< to each party that this process or all made
    std::map<std::size_t, std::unique_ptr<Line>> lines_; ///< to the leaders that this process talks to
    std::map<std::size_t, Hello> hellos_;
    mpi::Port port_;
    double up_at_ = 0;
};

}
