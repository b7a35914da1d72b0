// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include "tools/common/program.hpp"

#include <CLI/CLI.hpp>

namespace transfers {
namespace {

CommandLine refused(const std::string &why) { return {{}, common::refused(program, why)}; }

/// What is wrong with the numbers, or "".
std::string complaint(const Plan &plan) {
    if (plan.from == plan.to) return "--to = " + std::to_string(plan.to) + ": must differ from --from";
    const bool is_mixed = plan.amount.constant_percent > 0 && plan.amount.constant_percent < 100;
    if (is_mixed && plan.amount.arrays < 2)
        return "--arrays = 1: constant and variable data need an array each; allowed is 2 or more, or "
               "--constant-percent 0 or 100";
    return "";
}

CommandLine checked(Plan plan, const std::vector<std::string> &words) {
    if (const std::string why = complaint(plan); !why.empty()) return refused(why);
    for (const std::string &word : words) {
        if (word.starts_with("--nereus-")) continue; // a setting of the library, which checks it
        auto way = read_way(word);
        if (!way) return refused(way.error());
        plan.ways.push_back(*way);
    }
    if (plan.measures_limits != plan.ways.empty())
        return refused(plan.measures_limits ? "--limits goes without ways"
                                            : "found no way, allowed is PROCESSES:METHOD:STRATEGY, once or more");
    for (const Way &way : plan.ways)
        if (way.is_shared != plan.ways.front().is_shared)
            return refused("shm needs a run of its own, without other methods");
    for (const Way &way : plan.ways)
        if (way.processes.wakes != plan.wakes())
            return refused(way.text + ": ways that wake processes need a run of their own, without others");
    return {std::move(plan), std::nullopt};
}

void add_options(CLI::App &app, Plan &plan, double &iteration_ms) {
    app.add_option("--from", plan.from, "processes before")->required()->check(CLI::Range(1, 65536));
    app.add_option("--to", plan.to, "processes after")->required()->check(CLI::Range(1, 65536));
    app.add_option("--bytes", plan.amount.bytes, "all data")
        ->required()
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 50));
    app.add_option("--arrays", plan.amount.arrays, "into how many arrays it is cut")->check(CLI::Range(1, 1000));
    app.add_option("--constant-percent", plan.amount.constant_percent, "how much of it never changes")
        ->check(CLI::Range(0.0, 100.0));
    app.add_option("--repeat", plan.repeat, "rounds over all ways")->check(CLI::Range(1, 1000000));
    app.add_option("--iteration-ms", iteration_ms, "length of an iteration's computation on a free core")
        ->check(CLI::Range(0.0, 10000.0));
    app.add_flag_callback(
        "--brief", [&plan] { plan.around = brief; }, "few iterations around each resize, and no measure of later ones");
    app.add_flag("--check", plan.checks_all, "look at each element after each resize, not at some");
    app.add_flag("--limits", plan.measures_limits, "measure what memory and MPI can do at best, and end");
}

}

CommandLine read_command_line(int argc, char **argv) {
    Plan plan;
    double iteration_ms = 2;
    CLI::App app("Resizes from --from to --to processes in each way that is named, and back in a fixed way, and prints "
                 "JSON lines for each.\nStarted by mpiexec with --from processes, for merge:wake with the larger of "
                 "both numbers; options --nereus-NAME=VALUE are settings of the library.\nWAY is "
                 "PROCESSES:METHOD:STRATEGY, as merge:p2p:blocking, merge:auto:rma-lockall:wait-drains, "
                 "baseline-intra:col:thread.\n\n"
                 "Example: mpiexec -n 2 nereus-transfers --from 2 --to 4 --bytes 1000000 merge:p2p:blocking",
                 program);
    add_options(app, plan, iteration_ms);
    app.footer("WAY...");
    app.allow_extras();
    if (const auto exit_code = common::parse(app, argc, argv)) return {{}, exit_code};
    plan.iteration_seconds = iteration_ms / 1000;
    return checked(std::move(plan), app.remaining());
}

}
