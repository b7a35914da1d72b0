// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trials.hpp"

#include <optional>

namespace transfers {

struct CommandLine {
    Plan plan;
    std::optional<int> exit_code; ///< nothing else is to be done
};

/// Rank 0 of MPI_COMM_WORLD prints help and complaints.
CommandLine read_command_line(int argc, char **argv);

}
