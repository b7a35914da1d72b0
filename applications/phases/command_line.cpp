// SPDX-License-Identifier: BSD-3-Clause
#include "applications/phases/command_line.hpp"

#include "tools/common/program.hpp"

#include <CLI/CLI.hpp>

namespace phases {
namespace {

constexpr double most_seconds = 1e6;
constexpr std::int64_t most_iterations = std::int64_t{1} << 53, most_bytes = std::int64_t{1} << 50;

void add_time(CLI::App &app, Wait &wait) {
    const CLI::Range seconds(0.0, most_seconds);
    app.add_option("--fixed", wait.fixed, "seconds of an iteration that do not get less with more ranks")
        ->check(seconds);
    app.add_option("--divided", wait.divided, "seconds of an iteration that ranks share")->check(seconds);
    app.add_option("--per-rank", wait.per_rank, "seconds of an iteration that each rank adds")->check(seconds);
    app.add_option("--noise", wait.noise, "standard deviation of the time of an iteration, as a share of it")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--seed", wait.seed, "of the noise; 42 if not given")
        ->check(CLI::Range(std::int64_t{0}, most_iterations));
}

void add_phases(CLI::App &app, Plan &plan) {
    auto *every = app.add_option("--every", plan.every, "iterations from one I/O phase to the next");
    auto *bytes = app.add_option("--bytes", plan.bytes, "that all processes write in a phase, together");
    auto *file = app.add_option("--file", plan.file, "which they write, over what was there");
    every->check(CLI::Range(std::int64_t{1}, most_iterations))->needs(bytes)->needs(file);
    bytes->check(CLI::Range(std::int64_t{8}, most_bytes))->needs(every);
    file->needs(every);
    applications::add_piece(app, plan.piece);
    app.add_flag("--check", plan.checks, "look at each number of the file at the end")->needs(file);
}

}

CommandLine read_command_line(int argc, char **argv) {
    Plan plan;
    CLI::App app("Waits for as long as iterations would take on so many ranks, writes a file in I/O phases between "
                 "them,\nand prints a line of JSON for each phase and each resize. Options --nereus-NAME=VALUE are "
                 "settings of the library.\n\n"
                 "Example: mpiexec -n 2 nereus-phases --iterations 100 --divided 0.1 --every 20 --bytes 1000000 "
                 "--file x.bin --resize 30:4",
                 program);
    app.add_option("--iterations", plan.iterations, "how many")
        ->required()
        ->check(CLI::Range(std::int64_t{0}, most_iterations));
    add_time(app, plan.wait);
    add_phases(app, plan);
    applications::add_start(app, plan.start);
    applications::add_resizes(app, plan.resizes);
    app.allow_extras();
    if (const auto exit_code = common::parse(app, argc, argv)) return {{}, exit_code};
    if (const std::string why = applications::complaint_of_words(app); !why.empty())
        return {{}, common::refused(program, why)};
    return {std::move(plan), std::nullopt};
}

}
