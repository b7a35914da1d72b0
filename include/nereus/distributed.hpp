// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays that get another distribution without a job in C++, over nereus_redistribute().
///
///     const nereus_distribution block{NEREUS_BLOCK}, one_by_one{.layout = NEREUS_CYCLIC, .block = 1};
///     const nereus_distributed before{&block, ranks, nullptr}, after{&one_by_one, ranks, nullptr};
///     std::vector<double> mine(...), dealt(nereus_distributed_count(&one_by_one, n, ranks, rank));
///     nereus::redistribute<double>(comm, n, before, mine, after, dealt);
#ifndef NEREUS_DISTRIBUTED_HPP
#define NEREUS_DISTRIBUTED_HPP

#include <nereus/nereus.hpp>

namespace nereus {

/// What redistribute() is made of.
namespace distributed {

/// Where MPI runs; the call refuses what is no communicator.
inline int rank_in(MPI_Comm comm) {
    int begun = 0, ended = 0, rank = MPI_PROC_NULL;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun != 0 && ended == 0 && comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank);
    return rank;
}

/// The call refuses what is no type.
inline bool has_extent(MPI_Datatype type, std::size_t bytes) {
    MPI_Aint lower = 0, extent = 0;
    if (type == MPI_DATATYPE_NULL || MPI_Type_get_extent(type, &lower, &extent) != MPI_SUCCESS) return true;
    return static_cast<std::size_t>(extent) == bytes;
}

/// Elements that a rank of the communicator has; below 0 it is an error, which the call explains.
inline std::int64_t count(const nereus_distributed &side, std::int64_t elements, int rank) {
    int number = side.ranks == nullptr ? rank : 0;
    while (side.ranks != nullptr && number < side.processes && side.ranks[number] != rank) ++number;
    if (number >= side.processes) return 0;
    return nereus_distributed_count(side.distribution, elements, side.processes, number);
}

/// What is wrong with the part of a process, or nothing.
inline std::string problem(const char *name, std::size_t size, std::int64_t count) {
    if (count <= 0 || size == static_cast<std::size_t>(count)) return {};
    return std::string(name) + " has " + std::to_string(size) + " elements: this process has " + std::to_string(count) +
           " there";
}

}

/// As nereus_redistribute(), which must be given parts of the right length; a part is not looked at where this process
/// has nothing. Throws Failure, on all processes with the same code; `type` must be given for types that are not
/// arithmetic.
template <class T>
    requires std::is_trivially_copyable_v<T>
void redistribute(MPI_Comm comm, std::int64_t elements, const nereus_distributed &from, std::span<const T> old_part,
                  const nereus_distributed &to, std::span<T> new_part, MPI_Datatype type = datatype<T>()) {
    const int rank = distributed::rank_in(comm);
    std::string of_old = distributed::problem("old_part", old_part.size(), distributed::count(from, elements, rank));
    if (!distributed::has_extent(type, sizeof(T))) of_old = "type has another extent than the elements of the spans";
    const std::string of_new =
        distributed::problem("new_part", new_part.size(), distributed::count(to, elements, rank));
    // The others are on their way into the call, which ends on all of them where it is refused on one: for NULL.
    const int code = nereus_redistribute(comm, type, elements, &from, of_old.empty() ? old_part.data() : nullptr, &to,
                                         of_new.empty() ? new_part.data() : nullptr);
    if (code >= 0) return;
    const std::string &problem = of_old.empty() ? of_new : of_old;
    throw Failure(code, std::string("nereus_redistribute: ") + nereus_code_name(code) +
                            (problem.empty() ? ": see stderr" : ": " + problem));
}

}

#endif
