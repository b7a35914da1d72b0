// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/timed.hpp"

#include "pmpi/persistent.hpp"

#include <algorithm>
#include <link.h>
#include <string_view>

namespace nereus::pmpi {

thread_local monitor::TimedCalls *trace_here = nullptr;

namespace {

using monitor::CallShape;

struct Span {
    std::uintptr_t begin = 0, end = 0;
};

struct Tracing {
    std::unique_ptr<monitor::TimedCalls> trace;
    Span nereus; ///< where the library that resizes the program lies
    TracePlace place;
};

Tracing &tracing() {
    static auto *of_this_process = new Tracing;
    return *of_this_process;
}

Span span_of(const dl_phdr_info &library) {
    Span span{UINTPTR_MAX, 0};
    for (int i = 0; i < library.dlpi_phnum; ++i) {
        const auto &part = library.dlpi_phdr[i];
        if (part.p_type != PT_LOAD) continue;
        span.begin = std::min<std::uintptr_t>(span.begin, library.dlpi_addr + part.p_vaddr);
        span.end = std::max<std::uintptr_t>(span.end, library.dlpi_addr + part.p_vaddr + part.p_memsz);
    }
    return span;
}

int look_for_nereus(dl_phdr_info *library, std::size_t, void *found) {
    const std::string_view path = library->dlpi_name;
    if (path.find("/libnereus.so") == std::string_view::npos) return 0;
    *static_cast<Span *>(found) = span_of(*library);
    return 1;
}

CallShape in_group(const char *call, const Members &members, std::int32_t peer, std::uint64_t bytes) {
    return {call, members.number(), static_cast<std::uint32_t>(members.size()), peer, bytes};
}

}

bool is_of_nereus(const void *caller) {
    const Span span = tracing().nereus;
    const auto place = reinterpret_cast<std::uintptr_t>(caller);
    return place >= span.begin && place < span.end;
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

Done begin_timed(const TracePlace &place) {
    if (place.folder.empty()) return {};
    auto begun = monitor::TimedCalls::begin({place.folder, place.world + "-" + std::to_string(place.rank), place.most});
    if (!begun) return tl::unexpected(begun.error());
    dl_iterate_phdr(look_for_nereus, &tracing().nereus);
    tracing().place = place;
    tracing().trace = std::move(*begun);
    trace_here = tracing().trace.get();
    return {};
}

Done end_timed() {
    if (!tracing().trace) return {};
    const auto trace = std::move(tracing().trace);
    trace_here = nullptr;
    const TracePlace &place = tracing().place;
    return trace->end({{"world", place.world}, {"rank", place.rank}, {"ranks", place.ranks}});
}

}
