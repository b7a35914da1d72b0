// SPDX-License-Identifier: BSD-3-Clause
// How the system of a host knows a process: its number, which it gives away again, and when it began.
#pragma once

#include "base/error.hpp"

#include <mpi.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace nereus::process {

struct ProcessId {
    std::int64_t pid = 0;
    std::int64_t started = 0; ///< clock ticks since the host began (proc(5), field 22 of stat); 0: not known
};

/// {"pid": ..., "started": ...}
void to_json(nlohmann::json &out, const ProcessId &id);
void from_json(const nlohmann::json &in, ProcessId &id);

/// Collective: of each rank, on rank 0; empty elsewhere.
Result<std::vector<ProcessId>> processes_of(MPI_Comm comm);

}
