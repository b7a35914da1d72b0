// SPDX-License-Identifier: BSD-3-Clause
// The library does not need the monitor, and finds it where it is: preloaded, linked, or loaded by Open MPI for itself.
#include "job/state/monitor_client.hpp"

#include <dlfcn.h>
#include <nereus/monitor.h>

namespace nereus::job {
namespace {

/// A function of the monitor; NULL where there is none.
template <class Function> Function *of_monitor(const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name);
    void *library = found ? nullptr : dlopen("libnereus-monitor.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        found = dlsym(library, name);
        dlclose(library);
    }
    return reinterpret_cast<Function *>(found);
}

}

void tell_monitor(const Generation &generation) {
    const auto tell = of_monitor<decltype(nereus_monitor_generation)>("nereus_monitor_generation");
    if (!tell || generation.number < 0 || !generation.application) return;
    tell(generation.application.get(), key_of(generation).c_str(), static_cast<int>(generation.number));
}

void tell_monitor_state(const char *activity, const char *state) {
    static const auto tell = of_monitor<decltype(nereus_monitor_state)>("nereus_monitor_state");
    if (tell) tell(activity, state);
}

void tell_monitor_end(const char *activity) { tell_monitor_state(activity, nullptr); }

void tell_monitor_iteration(std::int64_t number) {
    static const auto tell = of_monitor<decltype(nereus_monitor_iteration)>("nereus_monitor_iteration");
    if (tell) tell(static_cast<std::uint64_t>(number));
}

bool follow_io(MPI_Comm comm, int (*call)(void *, int), void *context) {
    const auto follow = of_monitor<decltype(nereus_monitor_io)>("nereus_monitor_io");
    return follow && follow(comm, call, context) == NEREUS_OK;
}

std::optional<std::vector<std::uint64_t>> bytes_sent(MPI_Comm comm) {
    const auto ask = of_monitor<decltype(nereus_monitor_sent)>("nereus_monitor_sent");
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    std::vector<std::uint64_t> bytes(static_cast<std::size_t>(ranks));
    if (!ask || ask(comm, nullptr, bytes.data()) != NEREUS_OK) return std::nullopt;
    return bytes;
}

}
