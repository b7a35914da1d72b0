// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "applications/options.hpp"

#include <optional>
#include <string>

namespace jacobi {

inline constexpr const char *program = "nereus-jacobi";

struct Plan {
    applications::Options options;
    std::int64_t rows = 0;
    std::string file;             ///< of the solution; "": none
    std::int64_t write_every = 0; ///< iterations; 0: at the end alone
    bool checks = false;
};

struct CommandLine {
    Plan plan;
    std::optional<int> exit_code; ///< nothing else is to be done
};

CommandLine read_command_line(int argc, char **argv);

}
