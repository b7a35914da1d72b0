// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "applications/cg/matrix_source.hpp"
#include "applications/options.hpp"

#include <memory>
#include <optional>
#include <string>

namespace cg {

inline constexpr const char *program = "nereus-cg";

struct Plan {
    applications::Options options;
    std::string file; ///< one of these three
    std::int64_t poisson_side = 0;
    std::int64_t irregular_rows = 0;
    int points = 27; ///< 7 or 27: of a row of the Poisson matrix
};

struct CommandLine {
    Plan plan;
    std::optional<int> exit_code; ///< nothing else is to be done
};

CommandLine read_command_line(int argc, char **argv);

/// The matrix that the user wants, which founders make.
tl::expected<std::unique_ptr<MatrixSource>, std::string> source_of(const Plan &plan);

}
