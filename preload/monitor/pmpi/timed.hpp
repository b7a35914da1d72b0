// SPDX-License-Identifier: BSD-3-Clause
// The time of each call of the program: what a call was is told to a sink (call_sink.hpp), while there is one.
// calls.toml says for each call, under `timed`, what it is told as.
#pragma once

#include "pmpi/call_sink.hpp"
#include "pmpi/moves.hpp"

#include <mpi.h>

namespace nereus::pmpi {

/// Within one call of MPI no other one is told.
extern thread_local bool is_in_call;

/// One call of MPI: from its making to its end is in the call.
class Timed {
public:
    explicit Timed(const void *caller) {
        CallSink *const sink = call_sink.load(std::memory_order_acquire);
        if (!sink || is_in_call || !sink->takes(caller)) return;
        sink_ = sink;
        is_in_call = true;
        begin_ = sink->now();
    }
    ~Timed() {
        if (sink_) is_in_call = false;
    }
    Timed(const Timed &) = delete;
    Timed &operator=(const Timed &) = delete;

    /// Whether messages that arrive in the call are to be told.
    bool follows_messages() const { return sink_ && sink_->follows_messages(); }
    /// Behind the call: whether it is to be told.
    bool ended() {
        if (sink_) end_ = sink_->now();
        return sink_ != nullptr;
    }
    void as(const monitor::CallShape &shape, Envelope envelope = {}) { sink_->note(shape, envelope, begin_, end_); }
    /// A look at what may have come.
    void as_look(const monitor::CallShape &shape, bool has_come, Envelope envelope = {}) {
        if (has_come) return as(shape, envelope);
        sink_->note_in_vain(shape, begin_, end_);
    }

private:
    CallSink *sink_ = nullptr;
    monitor::Moment begin_, end_;
};

inline monitor::CallShape plain(const char *call) { return {call}; }

/// On a communicator, with a peer or without one. Ranks count from the own one: those of a ring all send to +1.
monitor::CallShape shape_of(const char *call, MPI_Comm comm, std::uint64_t bytes);
monitor::CallShape with_peer(const char *call, MPI_Comm comm, int peer, std::uint64_t bytes);
monitor::CallShape with_root(const char *call, MPI_Comm comm, int root, std::uint64_t bytes);
monitor::CallShape with_file(const char *call, MPI_File file, std::uint64_t bytes);
monitor::CallShape with_target(const char *call, MPI_Win window, int target, std::uint64_t bytes);
/// Starts of persistent requests: the bytes that they send.
monitor::CallShape with_requests(const char *call, int number, const MPI_Request *requests);

/// Where nothing goes, the type may be none.
inline std::uint64_t size_of(MPI_Count count, MPI_Datatype type) {
    return count > 0 && type != MPI_DATATYPE_NULL ? bytes_of(count, type) : 0;
}

/// Else a process may give anything for what only the other side, or the root, needs.
inline bool in_one_group(MPI_Comm comm) { return !Thread::here().members(comm).has_two_sides(); }

inline std::uint64_t ranks_of(MPI_Comm comm) { return static_cast<std::uint64_t>(Thread::here().members(comm).size()); }
inline std::uint64_t neighbours_of(MPI_Comm comm) {
    return static_cast<std::uint64_t>(Thread::here().members(comm).neighbours().size());
}

/// Of counts for each rank.
template <class Counts, class Types> std::uint64_t sum_of(MPI_Comm comm, const Counts *counts, Types types) {
    std::uint64_t sum = 0;
    const int ranks = Thread::here().members(comm).size();
    for (int rank = 0; rank < ranks; ++rank) sum += size_of(counts[rank], type_at(types, rank));
    return sum;
}

/// Of counts for each neighbour.
template <class Counts, class Types> std::uint64_t sum_to_neighbours(MPI_Comm comm, const Counts *counts, Types types) {
    std::uint64_t sum = 0;
    const auto number = static_cast<int>(Thread::here().members(comm).neighbours().size());
    for (int i = 0; i < number; ++i) sum += size_of(counts[i], type_at(types, i));
    return sum;
}

}
