// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "applications/options.hpp"
#include "applications/start.hpp"

#include <optional>
#include <string>

namespace jacobi {

inline constexpr const char *program = "nereus-jacobi";

struct Plan {
    applications::Options options;
    std::int64_t rows = 0;
    std::string file;             ///< of the solution; "": none
    std::int64_t write_every = 0; ///< iterations; 0: at the end alone
    std::int64_t copies = 1;      ///< of the solution, one behind the other in the file
    std::int64_t piece = applications::usual_piece;
    bool checks = false;
    applications::Start start;
};

struct CommandLine {
    Plan plan;
    std::optional<int> exit_code; ///< nothing else is to be done
};

CommandLine read_command_line(int argc, char **argv);

}
