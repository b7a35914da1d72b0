// SPDX-License-Identifier: BSD-3-Clause
// What each call moves, told to a sink: Now counts it, Later keeps it for each start of a persistent request.
//
// Counted is what a process sends, when the call is made: rows of a matrix are what its rank sent. A collective is
// taken as what it means, not as what an MPI makes of it: reduce is one message from each rank to the root. A rank
// sends itself nothing in a collective. calls.toml says which call is which move.
#pragma once

#include "pmpi/modelled.hpp"
#include "pmpi/persistent.hpp"
#include "pmpi/present.hpp"
#include "pmpi/thread.hpp"
#include "record/names.hpp"

#include <cstdint>

namespace nereus::pmpi {

using monitor::Address;
using monitor::Call;
using monitor::Kind;
using monitor::Reach;

inline std::uint64_t bytes_of(MPI_Count count, MPI_Datatype type) {
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    return count > 0 && size > 0 ? static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size) : 0;
}

/// Counts at once.
class Now {
public:
    /// `of`: a communicator or window, or who belongs to it.
    template <class Of> void one(Kind kind, const Of &of, int rank, std::uint64_t bytes) {
        Thread &thread = Thread::here();
        thread.shard().count(thread.cell(kind, of, rank), bytes);
    }
    void in_call(Call call, Reach reach, Communicator of, std::uint64_t bytes) {
        Thread &thread = Thread::here();
        thread.shard().count(thread.cell(call, reach, of), bytes);
    }
    void at(const Address &address, std::uint64_t bytes) { Thread::here().shard().count(address, bytes); }
};

/// Counts at each start of the request.
class Later {
public:
    explicit Later(MPI_Request *request) : request_(request) {}
    ~Later() { remember(*request_, std::move(moves_)); }
    Later(const Later &) = delete;
    Later &operator=(const Later &) = delete;

    void one(Kind kind, Communicator of, int rank, std::uint64_t bytes) {
        one(kind, Thread::here().members(of.handle), rank, bytes);
    }
    void one(Kind kind, const Members &members, int rank, std::uint64_t bytes) {
        Address address = address_now(kind);
        address.peer = members.peer(rank);
        at(address, bytes);
    }
    void in_call(Call call, Reach reach, Communicator of, std::uint64_t bytes) {
        at(address_in(call, reach, Thread::here().members(of.handle)), bytes);
    }
    void at(const Address &address, std::uint64_t bytes) { moves_.push_back({address, bytes}); }

private:
    MPI_Request *request_;
    Moves moves_;
};

template <class Sink> void sent(Sink &&sink, MPI_Comm comm, int to, MPI_Count count, MPI_Datatype type) {
    if (to >= 0) sink.one(Kind::point_to_point, Communicator{comm}, to, bytes_of(count, type)); // no MPI_PROC_NULL
}

inline void put(MPI_Win window, int target, MPI_Count count, MPI_Datatype type) {
    if (target >= 0) Now().one(Kind::put, Window{window}, target, bytes_of(count, type));
}

inline void got(MPI_Win window, int target, MPI_Count count, MPI_Datatype type) {
    if (target >= 0) Now().one(Kind::get, Window{window}, target, bytes_of(count, type));
}

inline void put_and_got(MPI_Win window, int target, MPI_Op op, MPI_Count count, MPI_Datatype type,
                        MPI_Count result_count, MPI_Datatype result_type) {
    if (op != MPI_NO_OP) put(window, target, count, type);
    got(window, target, result_count, result_type);
}

/// One collective call on one communicator.
template <class Sink> class Collective {
public:
    Collective(Sink &sink, Call call, MPI_Comm comm) : sink_(sink), comm_(comm), call_(call) {}
    /// Looked up once, and not where a call tells all in the same way.
    const Members &members() {
        if (!members_) members_ = &Thread::here().members(comm_);
        return *members_;
    }
    bool is_modelled() { return modelled() && !members().has_two_sides(); }
    /// Whether this process has something for that one: MPI_ROOT and MPI_PROC_NULL are below 0.
    bool sends_to(int rank) { return rank >= 0 && !members().is_self(rank); }

    void to(Reach reach, std::uint64_t bytes) { sink_.in_call(call_, reach, Communicator{comm_}, bytes); }
    /// The call itself, where what it sends goes to single peers or nobody.
    void called() { to(Reach::nobody, 0); }
    void to_peer(int rank, std::uint64_t bytes) {
        if (!sends_to(rank)) return;
        Address address = address_in(call_, Reach::peer, members());
        address.peer = members().peer(rank);
        sink_.at(address, bytes);
    }

    /// Where a model tells what the library sends: one message that goes straight to a peer.
    void sent_straight(int rank, std::uint64_t bytes) {
        if (modelled() && sends_to(rank)) sink_.one(Kind::decomposed, members(), rank, bytes);
    }
    /// The same, of the algorithm for this call (monitor/mpich_model.hpp says what its arguments are).
    void made_of(std::uint64_t size, int root = 0, MPI_Count elements = 1) {
        if (modelled()) made_of_parts({size}, root, elements);
    }
    void made_of_parts(std::vector<std::uint64_t> sizes, int root = 0, MPI_Count elements = 1) {
        if (!is_modelled()) return;
        each_modelled(call_, members(), std::move(sizes), root, elements,
                      [this](int to, std::uint64_t bytes) { sink_.one(Kind::decomposed, members(), to, bytes); });
    }

private:
    Sink &sink_;
    MPI_Comm comm_;
    const Members *members_ = nullptr;
    Call call_;
};

template <class Sink> void to_all(Sink &&sink, Call call, MPI_Comm comm, MPI_Count count, MPI_Datatype type) {
    Collective<std::remove_reference_t<Sink>> made(sink, call, comm);
    const std::uint64_t bytes = bytes_of(count, type);
    made.to(Reach::all, bytes);
    made.made_of(bytes, 0, count);
}

template <class Sink> void to_all(Sink &&sink, Call call, MPI_Comm comm) {
    Collective<std::remove_reference_t<Sink>> made(sink, call, comm);
    made.to(Reach::all, 0);
    made.made_of(0);
}

/// Counts[r] of a type at each rank.
template <class Counts> std::vector<std::uint64_t> sizes_of(MPI_Comm comm, const Counts *counts, MPI_Datatype type) {
    std::vector<std::uint64_t> sizes;
    for (int rank = 0; modelled() && rank < Thread::here().members(comm).size(); ++rank)
        sizes.push_back(bytes_of(counts[rank], type));
    return sizes;
}

/// As to_all(), where each rank sends another count of the type.
template <class Sink, class Counts>
void parts_to_all(Sink &&sink, Call call, MPI_Comm comm, MPI_Count count, MPI_Datatype type, const Counts *counts,
                  MPI_Datatype type_of_all) {
    Collective<std::remove_reference_t<Sink>> made(sink, call, comm);
    made.to(Reach::all, bytes_of(count, type));
    made.made_of_parts(sizes_of(comm, counts, type_of_all));
}

template <class Sink> void to_higher(Sink &&sink, Call call, MPI_Comm comm, MPI_Count count, MPI_Datatype type) {
    Collective<std::remove_reference_t<Sink>> made(sink, call, comm);
    const std::uint64_t bytes = bytes_of(count, type);
    made.to(Reach::higher, bytes);
    made.made_of(bytes, 0, count);
}

/// Whether this process is the one of a rooted call.
inline bool is_root(const Members &members, int root) {
    return members.has_two_sides() ? root == MPI_ROOT : root == members.rank();
}

inline bool root_of(MPI_Comm comm, int root) { return is_root(Thread::here().members(comm), root); }

template <class Sink>
void from_root(Sink &&sink, Call call, MPI_Comm comm, int root, MPI_Count count, MPI_Datatype type) {
    Collective<std::remove_reference_t<Sink>> made(sink, call, comm);
    const bool sends = is_root(made.members(), root);
    // Between two groups others than the root may give anything for count and type.
    const std::uint64_t bytes = sends || made.is_modelled() ? bytes_of(count, type) : 0;
    if (sends)
        made.to(Reach::all, bytes);
    else
        made.called();
    made.made_of(bytes, root);
}

template <class Sink>
void to_root(Sink &&sink, Call call, MPI_Comm comm, int root, MPI_Count count, MPI_Datatype type) {
    Collective<std::remove_reference_t<Sink>> made(sink, call, comm);
    made.called();
    const bool sends = made.sends_to(root);
    // At the root of a gather, count and type may be anything; a reduction has them everywhere.
    const std::uint64_t bytes = sends || (call == Call::reduce && made.is_modelled()) ? bytes_of(count, type) : 0;
    if (sends) made.to_peer(root, bytes);
    made.made_of(bytes, root, count);
}

/// As to_root(), where ranks send different counts: without a tree.
template <class Sink>
void part_to_root(Sink &&sink, Call call, MPI_Comm comm, int root, MPI_Count count, MPI_Datatype type) {
    Collective<std::remove_reference_t<Sink>> made(sink, call, comm);
    made.called();
    if (!made.sends_to(root)) return;
    made.to_peer(root, bytes_of(count, type));
    made.sent_straight(root, bytes_of(count, type));
}

inline bool in_place(const void *buffer) { return buffer == MPI_IN_PLACE; }

inline MPI_Datatype type_at(MPI_Datatype type, int) { return type; }
inline MPI_Datatype type_at(const MPI_Datatype *types, int at) { return types[at]; }

/// Counts[r] of types to each rank r.
template <class Sink, class Counts, class Types>
void to_each(Sink &&sink, Call call, MPI_Comm comm, const Counts *counts, Types types) {
    Collective<std::remove_reference_t<Sink>> made(sink, call, comm);
    made.called();
    for (int rank = 0; rank < made.members().size(); ++rank) {
        if (counts[rank] <= 0) continue;
        const std::uint64_t bytes = bytes_of(counts[rank], type_at(types, rank));
        made.to_peer(rank, bytes);
        made.sent_straight(rank, bytes);
    }
}

/// Of a result of counts[r] of a type to each rank r: the rank has a share in all of it.
template <class Sink, class Counts>
void share_to_each(Sink &&sink, Call call, MPI_Comm comm, const Counts *counts, MPI_Datatype type) {
    Collective<std::remove_reference_t<Sink>> made(sink, call, comm);
    made.called();
    for (int rank = 0; rank < made.members().size(); ++rank)
        if (counts[rank] > 0) made.to_peer(rank, bytes_of(counts[rank], type));
    made.made_of_parts(sizes_of(comm, counts, type));
}

/// As share_to_each(), for counts that are those of the own side of a communicator of two: whom they go to there, only
/// the other side knows.
template <class Sink, class Counts>
void to_each_of_own_side(Sink &&sink, Call call, MPI_Comm comm, const Counts *counts, MPI_Datatype type) {
    if (!Thread::here().members(comm).has_two_sides()) return share_to_each(sink, call, comm, counts, type);
    Collective<std::remove_reference_t<Sink>>(sink, call, comm).called();
    record().unseen(std::string(name(call)) + " between two groups",
                    "the receivers of its parts are known on the other side only");
}

template <class Sink, class Counts>
void from_root_to_each(Sink &&sink, Call call, MPI_Comm comm, int root, const Counts *counts, MPI_Datatype type) {
    if (is_root(Thread::here().members(comm), root))
        to_each(sink, call, comm, counts, type);
    else
        Collective<std::remove_reference_t<Sink>>(sink, call, comm).called();
}

/// Own part of counts that are those of all ranks.
template <class Counts> MPI_Count own(MPI_Comm comm, const Counts *counts) {
    return counts[Thread::here().members(comm).rank()];
}

template <class Sink> void to_neighbours(Sink &&sink, Call call, MPI_Comm comm, MPI_Count count, MPI_Datatype type) {
    Collective<std::remove_reference_t<Sink>> made(sink, call, comm);
    made.called();
    for (const int rank : made.members().neighbours()) {
        made.to_peer(rank, bytes_of(count, type));
        made.sent_straight(rank, bytes_of(count, type));
    }
}

template <class Sink, class Counts, class Types>
void to_each_neighbour(Sink &&sink, Call call, MPI_Comm comm, const Counts *counts, Types types) {
    Collective<std::remove_reference_t<Sink>> made(sink, call, comm);
    made.called();
    const std::vector<int> &ranks = made.members().neighbours();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::uint64_t bytes = bytes_of(counts[i], type_at(types, static_cast<int>(i)));
        made.to_peer(ranks[i], bytes);
        made.sent_straight(ranks[i], bytes);
    }
}

}
