// SPDX-License-Identifier: BSD-3-Clause
// The library does not need the monitor: whether it is loaded, the loader knows.
#include "job/generation.hpp"

#include <cstdio>
#include <nereus/monitor.h>

extern "C" __attribute__((weak)) int nereus_monitor_generation(MPI_Comm comm, const char *job, int generation);

namespace nereus::job {

void tell_monitor(const Generation &generation) {
    if (!nereus_monitor_generation || generation.number < 0 || !generation.application) return;
    std::array<char, 17> job{};
    // Rank 0 is of one world, and no world of two jobs.
    std::snprintf(job.data(), job.size(), "%016llx", static_cast<unsigned long long>(generation.worlds.front()));
    nereus_monitor_generation(generation.application.get(), job.data(), static_cast<int>(generation.number));
}

}
