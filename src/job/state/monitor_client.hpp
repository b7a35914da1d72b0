// SPDX-License-Identifier: BSD-3-Clause
// What a job and the monitor have to do with each other, where the monitor is loaded.
#pragma once

#include "job/state/generation.hpp"

#include <optional>

namespace nereus::job {

/// It is told who is who in this generation.
void tell_monitor(const Generation &generation);

/// `call` hears of files that all of `comm` open and close (nereus_monitor_io()). @return whether it will
bool follow_io(MPI_Comm comm, int (*call)(void *, int), void *context);

/// Bytes to each rank of `comm` in this generation, as nereus_monitor_sent() counts them; nothing where nobody
/// measures.
std::optional<std::vector<std::uint64_t>> bytes_sent(MPI_Comm comm);

}
