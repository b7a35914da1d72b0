// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/timed.hpp"

#include "pmpi/persistent.hpp"

namespace nereus::pmpi {

thread_local bool is_in_call = false;

namespace {

using monitor::CallShape;

CallShape in_group(const char *call, const Members &members, std::int32_t peer, std::uint64_t bytes) {
    return {call, members.number(), static_cast<std::uint32_t>(members.size()), peer, bytes};
}

}

CallShape shape_of(const char *call, MPI_Comm comm, std::uint64_t bytes) {
    return in_group(call, Thread::here().members(comm), CallShape::none, bytes);
}

CallShape with_peer(const char *call, MPI_Comm comm, int peer, std::uint64_t bytes) {
    const Members &members = Thread::here().members(comm);
    // Below 0 are MPI_ANY_SOURCE and MPI_PROC_NULL, to which nothing is sent.
    if (peer < 0) return in_group(call, members, CallShape::none, 0);
    return in_group(call, members, peer - members.rank(), bytes);
}

CallShape with_root(const char *call, MPI_Comm comm, int root, std::uint64_t bytes) {
    return in_group(call, Thread::here().members(comm), root, bytes);
}

CallShape with_file(const char *call, MPI_File, std::uint64_t bytes) { return {.call = call, .bytes = bytes}; }

CallShape with_target(const char *call, MPI_Win, int target, std::uint64_t bytes) {
    return {.call = call, .peer = target, .bytes = target >= 0 ? bytes : 0};
}

CallShape with_requests(const char *call, int number, const MPI_Request *requests) {
    return {.call = call, .bytes = bytes_started(number, requests)};
}

}
