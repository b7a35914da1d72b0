// SPDX-License-Identifier: BSD-3-Clause
// The C API of arrays that get another distribution without a job.
#include "base/printable.hpp"
#include "plan/relabelling.hpp"
#include "redistribution/c_arguments.hpp"
#include "redistribution/own_comm.hpp"
#include "redistribution/redistribution.hpp"

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
    std::int64_t elements;
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

Result<Redistribution> redistribution_of(const Given &given, int rank) {
    int size = 0;
    MPI_Comm_size(given.comm, &size);
    auto extent = nereus::redistribution::extent_of(given.type);
    if (!extent) return tl::unexpected(extent.error());
    const std::int64_t most = nereus::redistribution::most_elements_of(*extent);
    if (given.elements < 0 || given.elements > most)
        return failed(NEREUS_ERR_ARGUMENT,
                      "elements = " + std::to_string(given.elements) + ": allowed is 0 .. " + std::to_string(most));
    auto from = Holders::of(given.from, given.elements, size, "from");
    if (!from) return tl::unexpected(from.error());
    auto to = Holders::of(given.to, given.elements, size, "to");
    if (!to) return tl::unexpected(to.error());
    if (auto done = nereus::redistribution::check_pair(from->distribution(), to->distribution()); !done)
        return tl::unexpected(done.error());
    Redistribution wanted{*extent, std::move(*from), std::move(*to)};
    if (auto done = check_parts(given, rank, wanted); !done) return tl::unexpected(done.error());
    return wanted;
}

struct Planned {
    Redistribution redistribution;
    nereus::plan::Move move;
    std::int64_t checksum;
};

/// A process that cannot have its plan must not leave the others alone with the agreement.
Result<Planned> planned(const Given &given, int rank) try {
    auto wanted = redistribution_of(given, rank);
    if (!wanted) return tl::unexpected(wanted.error());
    nereus::plan::Move move = wanted->move_of(rank);
    const std::int64_t checksum = wanted->checksum();
    return Planned{std::move(*wanted), std::move(move), checksum};
} catch (const std::exception &) { // also vectors of more elements than there can be
    return failed(NEREUS_ERR_MEMORY, "no memory left");
}

Done redistribute(const Given &given) {
    int rank = 0;
    MPI_Comm_rank(given.comm, &rank);
    auto comm = nereus::redistribution::own_comm_of(given.comm);
    if (!comm) return tl::unexpected(comm.error());
    auto plan = planned(given, rank);
    const auto checksum = plan.map([](const Planned &all) { return all.checksum; });
    if (auto done = nereus::redistribution::agree(*comm, checksum); !done) return done;
    return nereus::redistribution::carry_out(*comm, plan->redistribution, std::move(plan->move), given.old_part,
                                             given.new_part);
}

int told(const Done &done) {
    if (done) return NEREUS_OK;
    if (!done.error().what.empty()) nereus::print_line("nereus_redistribute", done.error().what);
    return done.error().code;
}

Result<Distribution> distribution_of(const nereus_distribution *distribution, std::int64_t elements, int processes) {
    if (distribution == nullptr || processes < 1 || elements < 0 || elements > nereus::plan::most_elements)
        return failed(NEREUS_ERR_ARGUMENT, "");
    auto shape = nereus::redistribution::shape_of(*distribution, elements);
    if (!shape) return tl::unexpected(shape.error());
    return Distribution(*shape, processes);
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
                        const void *old_part, const nereus_distributed *to, void *new_part) try {
    if (!mpi_is_running()) return NEREUS_ERR_MPI;
    if (!is_usable(comm)) return told(failed(NEREUS_ERR_ARGUMENT, "comm is no intra-communicator"));
    return told(redistribute({comm, type, elements, from, to, static_cast<const std::byte *>(old_part),
                              static_cast<std::byte *>(new_part)}));
} catch (const std::exception &) {
    return NEREUS_ERR_MEMORY;
}
}
