// SPDX-License-Identifier: BSD-3-Clause
// Requests for another size: kept by rank 0, and announced to all at a checkpoint.
#pragma once

#include "mpi/check.hpp"

#include <nereus/nereus.h>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <deque>

namespace nereus::job {

/// Whether an epoch is saved, in the place of a resize or, `and_restart`, as a part of one.
enum class Save : std::int32_t { no, and_go_on, and_stop, in_memory, and_restart };

/// Travels as its bytes between processes of one architecture.
struct Request {
    std::uint64_t number = 0; ///< 0: there is none
    std::int32_t ranks = 0;   ///< 0 where an epoch is saved and the job has no other size then
    Save save = Save::no;
    std::int32_t balances = 0; ///< 1: rows move, by borders that all know already
    nereus_resize_options options{};
};

/// Whether the job is to have another size.
inline bool is_resize(const Request &request) { return request.save == Save::no || request.save == Save::and_restart; }

/// What all processes do at a checkpoint because rank 0 said so at the one before.
enum class Step : std::int32_t {
    go_on,     ///< nothing
    begin,     ///< a resize, by the request that comes along
    connect,   ///< its newcomers are up
    proceed,   ///< they are connected: the thread that saw to it has ended
    commit,    ///< constant data is where it belongs
    roll_back, ///< it cannot be done
    save,      ///< an epoch, by the request that comes along
    restart,   ///< all leave, for others that are started anew, by the request that comes along
    compare    ///< how long each process computes
};

/// How one begins that rank 0 has taken.
inline Step step_of(const Request &request) {
    if (request.save == Save::no) return Step::begin;
    return request.save == Save::and_restart ? Step::restart : Step::save;
}

struct Announcement {
    Step step = Step::go_on;
    std::int32_t quiet_checkpoints = 0; ///< checkpoints without an announcement, from the one that receives this
    Request request;
};

/// The announcement of rank 0 that a checkpoint sends and the next one receives, so that nobody waits for it. Processes
/// of an application that does not communicate could be any number of checkpoints apart, and what rank 0 says would
/// pile up with the others: now and then all wait until the last one is near.
class Broadcast {
public:
    /// Collective. Starts to tell `announcement`, which is that of rank 0.
    Done start(MPI_Comm comm, const Announcement &announcement);
    /// Collective. The announcement of the start() before.
    Result<Announcement> finish();
    bool under_way() const { return request_ != MPI_REQUEST_NULL; }
    /// At each checkpoint: whether this one has no announcement, as the last announcement said.
    bool is_quiet() { return quiet_checkpoints_ > 0 && quiet_checkpoints_-- > 0; }
    /// Collective. Before the processes change: nothing of it is left on their communicator.
    Done settle();

private:
    Announcement announcement_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    MPI_Request all_near_ = MPI_REQUEST_NULL; ///< a barrier, once in a number of announcements
    int started_ = 0;
    std::int32_t quiet_checkpoints_ = 0;
};

/// Of rank 0.
class Requests {
public:
    std::uint64_t add(Request request);
    Request take(); ///< the oldest one, or one with number 0
    /// For a request that does not wait.
    std::uint64_t next_number() { return ++last_; }
    bool empty() const { return waiting_.empty(); }
    /// For the next rank 0, where that is another process: what waits, and the number that was given last.
    nlohmann::json as_json() const;
    /// NEREUS_ERR_MISMATCH where `json` is none.
    static Result<Requests> from(const nlohmann::json &json);

private:
    std::deque<Request> waiting_;
    std::uint64_t last_ = 0;
};

}
