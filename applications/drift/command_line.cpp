// SPDX-License-Identifier: BSD-3-Clause
#include "applications/drift/command_line.hpp"

#include "tools/common/program.hpp"

#include <CLI/CLI.hpp>

namespace drift {
namespace {

void add_load(CLI::App &app, Load &load) {
    app.add_option("--rows", load.rows, "rows of all processes together; 10000 if not given")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32));
    app.add_option("--seconds", load.seconds, "of an iteration on one rank, if no row cost more; 0.02 if not given")
        ->check(CLI::Range(0.0, 1e6));
    app.add_option("--dear-share", load.dear_share, "share of rows that cost more; 0.25 if not given")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--dear-factor", load.dear_factor, "by which these cost more; 1 if not given")
        ->check(CLI::Range(1.0, 1e6));
    app.add_option("--drift", load.rows_per_iteration, "rows by which these move on in an iteration; 0 if not given")
        ->check(CLI::Range(0.0, 1e9));
    app.add_option("--slow", load.slowness, "by which rows take longer on rank 0, rank 1, ...: 1,2 makes rank 1 slow")
        ->delimiter(',')
        ->check(CLI::Range(1.0, 1e6));
}

}

CommandLine read_command_line(int argc, char **argv) {
    Plan plan;
    CLI::App app(
        "Computes rows of which some cost more than others, and not always the same ones, or on slower ranks,\n"
        "and prints a line of JSON: how long it took, and how long it would take with balanced rows.\n"
        "Options --nereus-NAME=VALUE are settings of the library.\n\n"
        "Example: mpiexec -n 2 nereus-drift --dear-factor 4 --drift 5 --nereus-balance=on",
        program);
    app.add_option("--iterations", plan.iterations, "how many; 500 if not given")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40));
    add_load(app, plan.load);
    app.add_flag("--wait", plan.waits, "wait for as long as computing would take");
    applications::add_resizes(app, plan.resizes);
    app.add_option("--result", plan.result, "file of the result line; stdout if not given");
    app.allow_extras();
    if (const auto exit_code = common::parse(app, argc, argv)) return {{}, exit_code};
    if (const std::string why = applications::complaint_of_words(app); !why.empty())
        return {{}, common::refused(program, why)};
    return {std::move(plan), std::nullopt};
}

}
