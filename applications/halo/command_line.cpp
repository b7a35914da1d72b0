// SPDX-License-Identifier: BSD-3-Clause
#include "applications/halo/command_line.hpp"

#include "tools/common/program.hpp"

#include <CLI/CLI.hpp>

namespace halo {
namespace {

constexpr std::int64_t most_columns = std::int64_t{1} << 20; // the fields of a row are one datatype of MPI
constexpr std::int64_t most_rows = std::int64_t{1} << 32;
constexpr int most_fields = 64;

}

CommandLine read_command_line(int argc, char **argv) {
    Plan plan;
    plan.options.tolerance = 0;
    CLI::App app("Simulates heat in a plate whose rows are cut over the processes: each sends its neighbours the rows "
                 "at its border in each iteration.\nPrints a line of JSON. Options --nereus-NAME=VALUE are settings of "
                 "the library.\n\n"
                 "Example: mpiexec -n 2 nereus-halo --rows 1200 --columns 10000 --iterations 200 --resize 50:4",
                 program);
    app.add_option("--rows", plan.rows, "of the plate")->required()->check(CLI::Range(std::int64_t{1}, most_rows));
    app.add_option("--columns", plan.columns, "of the plate")
        ->required()
        ->check(CLI::Range(std::int64_t{1}, most_columns));
    app.add_option("--fields", plan.fields, "quantities that each cell has; 1 if not given")
        ->check(CLI::Range(1, most_fields));
    app.add_flag("--ring", plan.is_ring, "the last row is a neighbour of the first one");
    applications::add_options(app, plan.options);
    if (const auto exit_code = common::parse(app, argc, argv)) return {{}, exit_code};
    if (const std::string why = applications::complaint_of_words(app); !why.empty())
        return {{}, common::refused(program, why)};
    return {std::move(plan), std::nullopt};
}

}
