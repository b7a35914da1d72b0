// SPDX-License-Identifier: BSD-3-Clause
// What nereus-halo is asked to do.
#pragma once

#include "applications/options.hpp"

#include <optional>

namespace halo {

inline constexpr const char *program = "nereus-halo";

struct Plan {
    std::int64_t rows = 0, columns = 0;
    int fields = 1;       ///< quantities that each cell has
    bool is_ring = false; ///< the last row is a neighbour of the first one
    applications::Options options;
};

struct CommandLine {
    Plan plan;
    std::optional<int> exit_code; ///< there is nothing to do any more
};

CommandLine read_command_line(int argc, char **argv);

}
