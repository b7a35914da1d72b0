// SPDX-License-Identifier: BSD-3-Clause
// All ranks learn that one of them failed, so that all end the run together and nobody waits for the one that is gone.
#pragma once

#include <optional>
#include <string>

#include "failure.hpp"
#include "team.hpp"

namespace emulator {

/// Collective. The failure has this rank's sentence, or none where only others have trouble.
inline Result<void> agree(const Team &all, const std::optional<std::string> &trouble, int exit_code = exit_failure) {
    int is_bad = trouble ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &is_bad, 1, MPI_INT, MPI_MAX, all.comm);
    if (is_bad == 0) return {};
    return failure(trouble.value_or(""), exit_code);
}

} // namespace emulator
