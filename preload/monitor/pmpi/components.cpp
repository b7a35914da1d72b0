// SPDX-License-Identifier: BSD-3-Clause
#if defined(NEREUS_OPENMPI_INSIDE)

#include "pmpi/components.hpp"

#include "openmpi/caller.h"
#include "openmpi/messages.h"
#include "pmpi/components.h"
#include "pmpi/moves.hpp"
#include "pmpi/options.hpp"

#include <array>
#include <dlfcn.h>
#include <mutex>
#include <unordered_map>

namespace nereus::pmpi {
namespace {

/// How the library itself starts each request.
struct Starts {
    std::mutex guard;
    std::unordered_map<MPI_Request, nereus_openmpi_start> real;
};

Starts &starts() {
    static auto *all = new Starts;
    return *all;
}

nereus_openmpi_start real_start(MPI_Request request) {
    const std::lock_guard lock(starts().guard);
    return starts().real.at(request);
}

int start_seen(std::size_t number, MPI_Request *requests) {
    for (std::size_t i = 0; i < number; ++i) {
        const MPI_Request before = requests[i];
        starting(1, &before);
        const int code = real_start(before)(1, &requests[i]);
        if (code != MPI_SUCCESS) return code;
        started(1, &requests[i]);
        if (requests[i] != before) watch_starts(requests[i]); // where the one before is still under way
    }
    return MPI_SUCCESS;
}

void sent_by_the_program(MPI_Comm comm, int to, std::size_t bytes) {
    if (on()) Now().one(Kind::point_to_point, Communicator{comm}, to, bytes);
}

void to_be_sent_by_the_program(MPI_Comm comm, int to, std::size_t bytes, MPI_Request *request) {
    if (!has_record()) return;
    Later(request).one(Kind::point_to_point, Communicator{comm}, to, bytes);
    watch_starts(*request);
}

std::array<bool, NEREUS_COMPONENTS> is_there{};

/// Whether calls of the program come to our wrappers.
bool is_preloaded() {
    Dl_info first{}, ours{};
    return dladdr(dlsym(RTLD_DEFAULT, "MPI_Init"), &first) != 0 &&
           dladdr(reinterpret_cast<const void *>(&nereus_components_wanted), &ours) != 0 &&
           first.dli_fbase == ours.dli_fbase;
}

}

void watch_starts(MPI_Request request) {
    const nereus_openmpi_start real = nereus_openmpi_stand_before(request, start_seen);
    if (real == start_seen) return; // a copy of a request that is watched
    const std::lock_guard lock(starts().guard);
    starts().real[request] = real;
}

}

using namespace nereus::pmpi;

extern "C" {
#pragma GCC visibility push(default)

int nereus_components_wanted(void) {
    static const bool wanted = !is_preloaded() && read_options().has_record;
    return wanted;
}

void nereus_component_is_there(enum nereus_component which) { is_there[which] = true; }

void nereus_components_begin(void) {
    begin("components of Open MPI");
    if (!has_record()) return;
    nereus_openmpi_watch_program(sent_by_the_program, to_be_sent_by_the_program);
    if (!is_there[NEREUS_COLL])
        record().unseen("collectives that the program calls", "the component coll was left out");
    if (!is_there[NEREUS_OSC]) record().unseen("puts and gets", "the component osc was left out");
    record().unseen("reading and writing of files", "there is no component for it");
    record().unseen("the identity of processes of other worlds, unless libnereus reports it",
                    "there is no component for connections of worlds");
}

void nereus_components_end(void) {
    nereus_openmpi_watch_program(nullptr, nullptr);
    end();
}

int nereus_seen_is_of_program(const void *address, const char *name) {
    return nereus_openmpi_is_in_call(address, name);
}

void nereus_seen_put(MPI_Win window, int target, std::size_t bytes) {
    if (on() && target >= 0) Now().one(Kind::put, Window{window}, target, bytes);
}

void nereus_seen_get(MPI_Win window, int target, std::size_t bytes) {
    if (on() && target >= 0) Now().one(Kind::get, Window{window}, target, bytes);
}

#pragma GCC visibility pop
}

#endif
