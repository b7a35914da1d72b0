// SPDX-License-Identifier: BSD-3-Clause
// The library does not need the monitor, and finds it where it is: preloaded, linked, or loaded by Open MPI for itself.
#include "job/generation.hpp"

#include <array>
#include <cstdio>
#include <dlfcn.h>
#include <nereus/monitor.h>

namespace nereus::job {
namespace {

using Tell = decltype(&nereus_monitor_generation);

/// NULL where there is no monitor.
Tell monitor_to_tell() {
    constexpr const char *name = "nereus_monitor_generation";
    void *found = dlsym(RTLD_DEFAULT, name);
    void *library = found ? nullptr : dlopen("libnereus-monitor.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        found = dlsym(library, name);
        dlclose(library);
    }
    return reinterpret_cast<Tell>(found);
}

}

void tell_monitor(const Generation &generation) {
    const Tell tell = monitor_to_tell();
    if (!tell || generation.number < 0 || !generation.application) return;
    std::array<char, 17> job{};
    // Rank 0 is of one world, and no world of two jobs.
    std::snprintf(job.data(), job.size(), "%016llx", static_cast<unsigned long long>(generation.worlds.front()));
    tell(generation.application.get(), job.data(), static_cast<int>(generation.number));
}

}
