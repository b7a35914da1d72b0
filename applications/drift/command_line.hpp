// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "applications/drift/load.hpp"
#include "applications/options.hpp"

#include <optional>
#include <string>

namespace drift {

inline constexpr const char *program = "nereus-drift";

struct Plan {
    std::int64_t iterations = 500;
    Load load;
    bool waits = false; ///< in place of computing
    applications::Schedule resizes;
    std::string result;
};

struct CommandLine {
    Plan plan;
    std::optional<int> exit_code; ///< nothing else is to be done
};

CommandLine read_command_line(int argc, char **argv);

}
