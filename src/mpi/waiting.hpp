// SPDX-License-Identifier: BSD-3-Clause
// Waiting that ends: by completion, by an error, or at a deadline.
#pragma once

#include "base/clock.hpp"
#include "mpi/check.hpp"

#include <vector>

namespace nereus::mpi {

/// Waits for all `requests`. At the deadline, or on an error, what is left is given up: MPI may still write to the
/// buffers of the requests, so that they must not be freed then.
Done complete_all(std::vector<MPI_Request> &requests, const Deadline &deadline, const char *what);

/// How often those ask MPI who ask between iterations of the application. One call may serve nothing but what lies in
/// shared memory, where the neighbours' messages of each iteration are: with MPICH 5 and one call a checkpoint,
/// transfers waited up to 70,000 checkpoints for messages that came by the network.
inline constexpr int times_to_ask = 2;

/// Whether `request` is complete. Asks MPI times_to_ask times.
Result<bool> is_complete(MPI_Request &request, const char *what);

/// Lets others have this core, for some 0.1 ms. Linux takes each sched_yield() for a slice of time used up: a rank that
/// yields often while it waits alone is let wait for long when another one wants its core.
void rest();

/// Waits for `request` with little use of the core, and notices its end up to a millisecond late.
Done complete_asleep(MPI_Request &request, const char *what);

inline Done complete(MPI_Request &request, const Deadline &deadline, const char *what) {
    std::vector<MPI_Request> one{request};
    auto done = complete_all(one, deadline, what);
    request = one.front();
    return done;
}

}
