// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/ucx.hpp"

#if !defined(NEREUS_UCX)

namespace nereus::pmpi {

SeenByUcx watch_ucx(MPI_Comm) { return {0, "this library was built without the headers of UCX"}; }
void unwatch_ucx() {}
}

#else

#include "pmpi/moves.hpp"

#include <dlfcn.h>
#include <tsl/robin_map.h>
#include <ucp/api/ucp.h>

namespace nereus::pmpi {
namespace {

constexpr int context_shift = 48;
constexpr int most_ranks = 1024;

/// What the next message of this thread is for, while we find out how MPICH speaks to UCX.
enum class Probing { nothing, message, collective };

struct Ucx {
    Probing probing = Probing::nothing;
    int rank = -1; ///< to which the next message goes
    bool is_as_expected = true, was_used = false;
    tsl::robin_map<const void *, int> ranks; ///< by endpoint; not changed while messages are watched
    std::atomic<bool> watching{false}, told_of_strangers{false};
};

Ucx &ucx() {
    static auto *of_this_process = new Ucx;
    return *of_this_process;
}

/// Of a message as UCX gets it; nothing where it is packed by functions of MPICH.
std::uint64_t bytes_of(std::size_t count, const ucp_request_param_t *param) {
    const bool has_type = param && (param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE);
    if (!has_type) return count;
    if ((param->datatype & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG)
        return count * (param->datatype >> UCP_DATATYPE_SHIFT);
    record().unseen("bytes of some messages of collectives", "MPICH packs them itself");
    return 0;
}

bool is_of_collective(std::uint64_t tag) { return (tag >> context_shift & 1) != 0; }

void note(const void *endpoint, std::uint64_t tag) {
    ucx().was_used = true;
    if (ucx().probing == Probing::message) ucx().ranks[endpoint] = ucx().rank;
    if (is_of_collective(tag) != (ucx().probing == Probing::collective)) ucx().is_as_expected = false;
}

void tell_of_strangers() {
    if (!ucx().told_of_strangers.exchange(true))
        record().unseen("messages of collectives to processes of other worlds", "their endpoints in UCX are not known");
}

void see(const void *endpoint, std::size_t count, std::uint64_t tag, const ucp_request_param_t *param) {
    if (ucx().probing != Probing::nothing) return note(endpoint, tag);
    if (!ucx().watching.load(std::memory_order_relaxed) || !on()) return;
    if (!is_of_collective(tag)) return;
    const auto found = ucx().ranks.find(endpoint);
    if (found == ucx().ranks.end()) return tell_of_strangers();
    // MPICH holds its locks: nothing of MPI may be called here.
    Address address = address_now(Kind::decomposed);
    address.peer = static_cast<std::uint64_t>(found->second);
    Thread::here().shard().count(address, bytes_of(count, param));
}

/// A message to each other rank, and one from each: after that an endpoint is known by its rank.
void find_endpoints(MPI_Comm comm, int own, int ranks) {
    constexpr int tag = 0;
    std::vector<MPI_Request> received(static_cast<std::size_t>(ranks), MPI_REQUEST_NULL), sent = received;
    for (int rank = 0; rank < ranks; ++rank)
        if (rank != own) PMPI_Irecv(nullptr, 0, MPI_CHAR, rank, tag, comm, &received[static_cast<std::size_t>(rank)]);
    ucx().probing = Probing::message;
    for (ucx().rank = 0; ucx().rank < ranks; ++ucx().rank)
        if (ucx().rank != own)
            PMPI_Isend(nullptr, 0, MPI_CHAR, ucx().rank, tag, comm, &sent[static_cast<std::size_t>(ucx().rank)]);
    ucx().probing = Probing::nothing;
    PMPI_Waitall(ranks, received.data(), MPI_STATUSES_IGNORE);
    PMPI_Waitall(ranks, sent.data(), MPI_STATUSES_IGNORE);
}

void look_at_a_collective(MPI_Comm comm) {
    ucx().probing = Probing::collective;
    PMPI_Barrier(comm);
    ucx().probing = Probing::nothing;
}

/// A message to each other rank is not free: only where it may tell something.
bool is_used_by_any(MPI_Comm comm) {
    int own = ucx().was_used, any = 0;
    PMPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, comm);
    return any != 0;
}

}

SeenByUcx watch_ucx(MPI_Comm comm) {
    int own = 0, ranks = 1;
    PMPI_Comm_rank(comm, &own);
    PMPI_Comm_size(comm, &ranks);
    ucx().ranks.clear();
    ucx().is_as_expected = true;
    ucx().was_used = ucx().told_of_strangers = false;
    look_at_a_collective(comm);
    if (!is_used_by_any(comm)) return {0, "MPICH hands no message to UCX"};
    if (ranks > most_ranks) return {0, "there are more ranks than endpoints of UCX are looked for"};
    find_endpoints(comm, own, ranks);
    const int seen = static_cast<int>(ucx().ranks.size());
    if (!ucx().is_as_expected) return {seen, "MPICH passes its communicators to UCX in an unknown way"};
    ucx().watching = true;
    return {seen, ""};
}

void unwatch_ucx() { ucx().watching = false; }

/// What our function of this name hides; also where UCX was loaded by something else than MPICH, later and for itself.
template <class Function> Function hidden(const char *name) {
    void *real = dlsym(RTLD_NEXT, name);
    if (void *library = real ? nullptr : dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD)) real = dlsym(library, name);
    return reinterpret_cast<Function>(real);
}

}

using nereus::pmpi::hidden;
using nereus::pmpi::see;

extern "C" {
#pragma GCC visibility push(default)

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h endpoint, const void *buffer, size_t count, ucp_tag_t tag,
                                  const ucp_request_param_t *param) {
    static const auto real = hidden<decltype(&ucp_tag_send_nbx)>("ucp_tag_send_nbx");
    if (!real) return UCS_STATUS_PTR(UCS_ERR_UNSUPPORTED);
    see(endpoint, count, tag, param);
    return real(endpoint, buffer, count, tag, param);
}

ucs_status_ptr_t ucp_tag_send_sync_nbx(ucp_ep_h endpoint, const void *buffer, size_t count, ucp_tag_t tag,
                                       const ucp_request_param_t *param) {
    static const auto real = hidden<decltype(&ucp_tag_send_sync_nbx)>("ucp_tag_send_sync_nbx");
    if (!real) return UCS_STATUS_PTR(UCS_ERR_UNSUPPORTED);
    see(endpoint, count, tag, param);
    return real(endpoint, buffer, count, tag, param);
}

#pragma GCC visibility pop
}

#endif
