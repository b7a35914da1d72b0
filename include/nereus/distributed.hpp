// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays that get another distribution without a job in C++, over nereus_redistribute() and nereus_transpose().
///
///     const nereus_distribution block{NEREUS_BLOCK}, one_by_one{.layout = NEREUS_CYCLIC, .block = 1};
///     const nereus_distributed before{&block, ranks, nullptr}, after{&one_by_one, ranks, nullptr};
///     std::vector<double> mine(...), dealt(nereus_distributed_count(&one_by_one, n, ranks, rank));
///     nereus::redistribute<double>(comm, n, before, mine, after, dealt);
#ifndef NEREUS_DISTRIBUTED_HPP
#define NEREUS_DISTRIBUTED_HPP

#include <nereus/nereus.hpp>

namespace nereus {

/// What redistribute() and transpose() are made of.
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

/// Of matrices that have more than there can be, none: the call explains it.
inline std::int64_t elements_of_matrix(const nereus_distributed &matrix) {
    const nereus_distribution *is = matrix.distribution;
    const bool can_be_counted = is != nullptr && is->rows >= 0 && is->columns >= 0 &&
                                (is->columns == 0 || is->rows <= (std::int64_t{1} << 62) / is->columns);
    return can_be_counted ? is->rows * is->columns : 0;
}

/// What is wrong with the part of a process, or nothing.
inline std::string problem(const char *name, std::size_t size, std::int64_t count) {
    if (count <= 0 || size == static_cast<std::size_t>(count)) return {};
    return std::string(name) + " has " + std::to_string(size) + " elements: this process has " + std::to_string(count) +
           " there";
}

/// Parts of one process, of which one that is not as it has to be is given as NULL. The others are on their way into
/// the call, which ends on all of them where it is refused on one.
template <class T> class Parts {
public:
    Parts(MPI_Comm comm, MPI_Datatype type, std::int64_t elements, const nereus_distributed &from,
          std::span<const T> old_part, const nereus_distributed &to, std::span<T> new_part)
        : old_(old_part), new_(new_part) {
        const int rank = rank_in(comm);
        of_old_ = problem("old_part", old_part.size(), count(from, elements, rank));
        if (!has_extent(type, sizeof(T))) of_old_ = "type has another extent than the elements of the spans";
        of_new_ = problem("new_part", new_part.size(), count(to, elements, rank));
    }

    const T *old_part() const { return of_old_.empty() ? old_.data() : nullptr; }
    T *new_part() const { return of_new_.empty() ? new_.data() : nullptr; }

    /// Throws Failure where a function with that name returned an error.
    void check(const char *function, int code) const {
        if (code >= 0) return;
        const std::string &problem = of_old_.empty() ? of_new_ : of_old_;
        throw Failure(code, std::string(function) + ": " + nereus_code_name(code) +
                                (problem.empty() ? ": see stderr" : ": " + problem));
    }

private:
    std::span<const T> old_;
    std::span<T> new_;
    std::string of_old_, of_new_;
};

}

/// As nereus_redistribute(), which must be given parts of the right length; a part is not looked at where this process
/// has nothing. Throws Failure, on all processes with the same code; `type` must be given for types that are not
/// arithmetic.
template <class T>
    requires std::is_trivially_copyable_v<T>
void redistribute(MPI_Comm comm, std::int64_t elements, const nereus_distributed &from, std::span<const T> old_part,
                  const nereus_distributed &to, std::span<T> new_part, MPI_Datatype type = datatype<T>()) {
    const distributed::Parts<T> parts(comm, type, elements, from, old_part, to, new_part);
    parts.check("nereus_redistribute",
                nereus_redistribute(comm, type, elements, &from, parts.old_part(), &to, parts.new_part()));
}

/// As nereus_transpose(), with parts and errors as for redistribute().
template <class T>
    requires std::is_trivially_copyable_v<T>
void transpose(MPI_Comm comm, const nereus_distributed &from, std::span<const T> old_part, const nereus_distributed &to,
               std::span<T> new_part, MPI_Datatype type = datatype<T>()) {
    const std::int64_t elements = distributed::elements_of_matrix(from);
    const distributed::Parts<T> parts(comm, type, elements, from, old_part, to, new_part);
    parts.check("nereus_transpose", nereus_transpose(comm, type, &from, parts.old_part(), &to, parts.new_part()));
}

}

#endif
