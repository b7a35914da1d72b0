// SPDX-License-Identifier: BSD-3-Clause
// The C API of arrays that get another distribution without a job.
#include "base/printable.hpp"
#include "plan/relabelling.hpp"
#include "redistribution/c_arguments.hpp"
#include "redistribution/own_comm.hpp"
#include "redistribution/transposition.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <new>

namespace {

using nereus::Done;
using nereus::failed;
using nereus::Result;
using nereus::plan::Distribution;
using nereus::redistribution::Holders;
using nereus::redistribution::Redistribution;
using nereus::redistribution::Transposition;

/// Sums over all processes are below 2^61.
constexpr std::int64_t most_to_relabel = std::int64_t{1} << 61;

bool mpi_is_running() {
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized != 0 && finalized == 0;
}

bool is_usable(MPI_Comm comm) {
    int inter = 0;
    return comm != MPI_COMM_NULL && MPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter == 0;
}

/// As it was given to one process.
struct Given {
    MPI_Comm comm;
    MPI_Datatype type;
    std::int64_t old_elements, new_elements; ///< the same but for sides that do not fit
    const nereus_distributed *from, *to;
    const std::byte *old_part;
    std::byte *new_part;
};

Done check_part(const char *name, const void *part, std::int64_t bytes) {
    if (part != nullptr || bytes == 0) return {};
    return failed(NEREUS_ERR_ARGUMENT,
                  std::string(name) + " is NULL: this process has " + std::to_string(bytes) + " B there");
}

Done check_parts(const Given &given, int rank, const Redistribution &wanted) {
    const std::int64_t before = wanted.from.count_of(rank) * wanted.extent;
    const std::int64_t after = wanted.to.count_of(rank) * wanted.extent;
    if (auto done = check_part("old_part", given.old_part, before); !done) return done;
    if (auto done = check_part("new_part", given.new_part, after); !done) return done;
    const std::less<> is_less;
    if (before == 0 || after == 0 || !is_less(given.old_part, given.new_part + after) ||
        !is_less(given.new_part, given.old_part + before))
        return {};
    return failed(NEREUS_ERR_ARGUMENT, "old_part and new_part overlap: they must be different memory");
}

/// @param check_pair  says whether one of the distributions can become the other one
Result<Redistribution> redistribution_of(const Given &given, int rank,
                                         Done (*check_pair)(const Distribution &, const Distribution &)) {
    int size = 0;
    MPI_Comm_size(given.comm, &size);
    auto extent = nereus::redistribution::extent_of(given.type);
    if (!extent) return tl::unexpected(extent.error());
    const std::int64_t most = nereus::redistribution::most_elements_of(*extent);
    if (given.old_elements < 0 || given.old_elements > most)
        return failed(NEREUS_ERR_ARGUMENT,
                      "elements = " + std::to_string(given.old_elements) + ": allowed is 0 .. " + std::to_string(most));
    auto from = Holders::of(given.from, given.old_elements, size, "from");
    if (!from) return tl::unexpected(from.error());
    auto to = Holders::of(given.to, given.new_elements, size, "to");
    if (!to) return tl::unexpected(to.error());
    if (auto done = check_pair(from->distribution(), to->distribution()); !done) return tl::unexpected(done.error());
    Redistribution wanted{*extent, std::move(*from), std::move(*to)};
    if (auto done = check_parts(given, rank, wanted); !done) return tl::unexpected(done.error());
    return wanted;
}

/// What one process does; `What` is a Redistribution or a Transposition.
template <class What> struct Planned {
    What what;
    nereus::plan::Move move;
    std::int64_t checksum;
};

Result<Planned<Redistribution>> plan_of_redistribution(const Given &given, int rank) {
    auto wanted = redistribution_of(given, rank, nereus::redistribution::check_pair);
    if (!wanted) return tl::unexpected(wanted.error());
    nereus::plan::Move move = wanted->move_of(rank);
    const std::int64_t checksum = wanted->checksum();
    return Planned<Redistribution>{std::move(*wanted), std::move(move), checksum};
}

Result<Planned<Transposition>> plan_of_transposition(const Given &given, int rank) {
    auto wanted = redistribution_of(given, rank, nereus::redistribution::check_transposed);
    if (!wanted) return tl::unexpected(wanted.error());
    const std::int64_t checksum = ~wanted->checksum(); // another one than without transposing
    auto transposition = Transposition::of(std::move(*wanted), rank);
    if (!transposition) return tl::unexpected(transposition.error());
    nereus::plan::Move move = transposition->moved().move_of(rank);
    return Planned<Transposition>{std::move(*transposition), std::move(move), checksum};
}

/// A process that cannot have its plan must not leave the others alone with the agreement.
template <class Plan> auto without_exceptions(const Plan &plan) -> decltype(plan()) try {
    return plan();
} catch (const std::exception &) { // also vectors of more elements than there can be
    return failed(NEREUS_ERR_MEMORY, "no memory left");
}

/// Collective: `plan(rank)` is made and agreed on, and `carry_out(comm, plan)` called.
template <class Plan, class CarryOut> Done agreed(MPI_Comm given, const Plan &plan, const CarryOut &carry_out) {
    int rank = 0;
    MPI_Comm_rank(given, &rank);
    auto comm = nereus::redistribution::own_comm_of(given);
    if (!comm) return tl::unexpected(comm.error());
    auto planned = without_exceptions([&] { return plan(rank); });
    const auto checksum = planned.map([](const auto &all) { return all.checksum; });
    if (auto done = nereus::redistribution::agree(*comm, checksum); !done) return done;
    return carry_out(*comm, *planned);
}

Done redistribute(const Given &given) {
    return agreed(
        given.comm, [&](int rank) { return plan_of_redistribution(given, rank); },
        [&](MPI_Comm comm, Planned<Redistribution> &plan) {
            return nereus::redistribution::carry_out(comm, plan.what, std::move(plan.move), given.old_part,
                                                     given.new_part);
        });
}

Done transpose(const Given &given) {
    return agreed(
        given.comm, [&](int rank) { return plan_of_transposition(given, rank); },
        [&](MPI_Comm comm, Planned<Transposition> &plan) {
            Transposition &what = plan.what;
            auto done =
                nereus::redistribution::carry_out(comm, what.moved(), std::move(plan.move),
                                                  what.prepared(given.old_part), what.destination(given.new_part));
            if (done) what.finish(given.new_part);
            return done;
        });
}

/// What NULL and sides that have no product say is found by those who check them.
std::int64_t elements_of(const nereus_distributed *matrix) {
    if (matrix == nullptr || matrix->distribution == nullptr) return 0;
    const nereus_distribution &is = *matrix->distribution;
    std::int64_t elements = 0;
    const bool has_none = is.layout != NEREUS_GRID || is.rows < 0 || is.columns < 0 ||
                          __builtin_mul_overflow(is.rows, is.columns, &elements);
    return has_none ? 0 : elements;
}

/// Calls act() where MPI can be called with `comm`; says on stderr what is wrong.
template <class Act> int checked(const char *function, MPI_Comm comm, const Act &act) try {
    if (!mpi_is_running()) return NEREUS_ERR_MPI;
    const Done done = is_usable(comm) ? act() : failed(NEREUS_ERR_ARGUMENT, "comm is no intra-communicator");
    if (done) return NEREUS_OK;
    if (!done.error().what.empty()) nereus::print_line(function, done.error().what);
    return done.error().code;
} catch (const std::exception &) {
    return NEREUS_ERR_MEMORY;
}

Result<Distribution> distribution_of(const nereus_distribution *distribution, std::int64_t elements, int processes) {
    if (distribution == nullptr || processes < 1 || elements < 0 || elements > nereus::plan::most_elements)
        return failed(NEREUS_ERR_ARGUMENT, "");
    return nereus::redistribution::distribution_of(*distribution, elements, processes);
}

}

extern "C" {

int64_t nereus_distributed_count(const nereus_distribution *distribution, int64_t elements, int processes,
                                 int number) try {
    auto is = distribution_of(distribution, elements, processes);
    if (!is || number < 0 || number >= processes) return NEREUS_ERR_ARGUMENT;
    return is->count_of(number);
} catch (const std::bad_alloc &) {
    return NEREUS_ERR_MEMORY;
}

int64_t nereus_distributed_locate(const nereus_distribution *distribution, int64_t elements, int processes,
                                  int64_t element, int *number) try {
    auto is = distribution_of(distribution, elements, processes);
    if (!is) return NEREUS_ERR_ARGUMENT;
    if (element < 0 || element >= elements) return NEREUS_ERR_RANGE;
    const nereus::plan::Spot spot = is->place_of(element);
    if (number != nullptr) *number = spot.rank;
    return spot.place;
} catch (const std::bad_alloc &) {
    return NEREUS_ERR_MEMORY;
}

int64_t nereus_distributed_relabel(int64_t elements, int size, const nereus_distributed *from,
                                   const nereus_distributed *to, int *ranks) try {
    if (elements < 0 || size < 1 || ranks == nullptr) return NEREUS_ERR_ARGUMENT;
    const auto before = Holders::of(from, elements, size, "from"), after = Holders::of(to, elements, size, "to");
    if (!before || !after || elements >= most_to_relabel / from->processes ||
        !nereus::redistribution::check_pair(before->distribution(), after->distribution()))
        return NEREUS_ERR_ARGUMENT;
    const auto relabelled =
        nereus::plan::relabelled({before->distribution(), before->ranks()}, {after->distribution(), after->ranks()});
    std::ranges::copy(relabelled.ranks, ranks);
    return relabelled.stays;
} catch (const std::exception &) {
    return NEREUS_ERR_MEMORY;
}

int nereus_redistribute(MPI_Comm comm, MPI_Datatype type, int64_t elements, const nereus_distributed *from,
                        const void *old_part, const nereus_distributed *to, void *new_part) {
    return checked("nereus_redistribute", comm, [&] {
        return redistribute({comm, type, elements, elements, from, to, static_cast<const std::byte *>(old_part),
                             static_cast<std::byte *>(new_part)});
    });
}

int nereus_transpose(MPI_Comm comm, MPI_Datatype type, const nereus_distributed *from, const void *old_part,
                     const nereus_distributed *to, void *new_part) {
    return checked("nereus_transpose", comm, [&] {
        return transpose({comm, type, elements_of(from), elements_of(to), from, to,
                          static_cast<const std::byte *>(old_part), static_cast<std::byte *>(new_part)});
    });
}
}
