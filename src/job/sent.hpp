// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job sent each other, as the monitor saw it.
#pragma once

#include "job/generation.hpp"
#include "mpi/check.hpp"
#include "plan/mapping/traffic.hpp"

#include <map>
#include <optional>

namespace nereus::job {

/// What is known at a resize, on rank 0; nothing elsewhere.
struct Sent {
    std::optional<plan::mapping::Traffic> in_this_generation; ///< none: nobody measured
    std::map<int, plan::mapping::Traffic> with_ranks;         ///< by number of ranks, in the latest of such generations
};

/// Collective over the generation: what its ranks sent each other since it began is added to rank 0's `sent`.
Done hear_what_was_sent(const Generation &now, Sent &sent);

}
