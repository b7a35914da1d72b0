// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <sched.h>

namespace nereus {

/// Processor cores that this thread may use, 1 at least.
inline int usable_cores() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? std::max(1, CPU_COUNT(&allowed)) : 1;
}

}
