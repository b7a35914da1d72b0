// SPDX-License-Identifier: BSD-3-Clause
#include "applications/jacobi/command_line.hpp"

#include "tools/common/program.hpp"

#include <CLI/CLI.hpp>

namespace jacobi {
namespace {

constexpr std::int64_t most_rows = std::int64_t{1} << 24; // a row is one datatype of MPI, whose bytes fit into an int
constexpr std::int64_t most_copies = std::int64_t{1} << 26;

void add_file(CLI::App &app, Plan &plan) {
    auto *write = app.add_option("--write", plan.file, "file of the solution, which all processes write together");
    app.add_option("--write-every", plan.write_every, "after how many iterations; not given: at the end alone")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 53))
        ->needs(write);
    app.add_option("--copies", plan.copies, "of the solution, one behind the other in the file; 1 if not given")
        ->check(CLI::Range(std::int64_t{1}, most_copies))
        ->needs(write);
    applications::add_piece(app, plan.piece)->needs(write);
}

}

CommandLine read_command_line(int argc, char **argv) {
    Plan plan;
    CLI::App app("Solves a dense, diagonally dominant system of equations by Jacobi's method, writes the solution to a "
                 "file meanwhile,\nand prints a line of JSON. Options --nereus-NAME=VALUE are settings of the "
                 "library.\n\n"
                 "Example: mpiexec -n 2 nereus-jacobi --size 500 --write x.bin --write-every 20 --resize 10:4",
                 program);
    app.add_option("--size", plan.rows, "equations")->required()->check(CLI::Range(std::int64_t{1}, most_rows));
    add_file(app, plan);
    app.add_flag("--check", plan.checks, "look at each element of the solution, and of the file, at the end");
    applications::add_start(app, plan.start);
    applications::add_options(app, plan.options);
    if (const auto exit_code = common::parse(app, argc, argv)) return {{}, exit_code};
    if (const std::string why = applications::complaint_of_words(app); !why.empty())
        return {{}, common::refused(program, why)};
    return {std::move(plan), std::nullopt};
}

}
