// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "applications/options.hpp"
#include "applications/phases/wait.hpp"
#include "applications/start.hpp"

#include <optional>
#include <string>

namespace phases {

inline constexpr const char *program = "nereus-phases";

struct Plan {
    std::int64_t iterations = 0;
    Wait wait;
    std::int64_t every = 0; ///< iterations from one I/O phase to the next; 0: there are none
    std::int64_t bytes = 0; ///< of a phase, of all processes together
    std::int64_t piece = applications::usual_piece;
    std::string file;
    bool checks = false;
    applications::Start start;
    applications::Schedule resizes;
};

struct CommandLine {
    Plan plan;
    std::optional<int> exit_code; ///< nothing else is to be done
};

CommandLine read_command_line(int argc, char **argv);

}
