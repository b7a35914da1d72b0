// SPDX-License-Identifier: BSD-3-Clause
// How a process leaves a program that was not written to be opened a second time.
#pragma once

#include <nereus/nereus.h>

#include <cstdlib>

namespace nereus::compat {

/// To be called before nereus_open(): a parked process could only be woken into main(), which peers' programs do not
/// return to.
inline void never_wake() { setenv("NEREUS_WAKE", "off", 1); }

/// As peers' libraries do it: the process ends here.
[[noreturn]] inline void leave(nereus_job **job) {
    nereus_close(job);
    MPI_Finalize();
    std::exit(0);
}

}
