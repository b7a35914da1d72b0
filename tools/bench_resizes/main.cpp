// SPDX-License-Identifier: BSD-3-Clause
// nereus-resizes: an application that iterates and resizes in each way that it is told, and says what that cost.
#include "tools/common/compute.hpp"
#include "tools/common/program.hpp"
#include "trials.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <optional>
#include <string>

namespace {

using resizes::Plan;
using resizes::program;
using resizes::State;

struct CommandLine {
    Plan plan;
    std::optional<int> exit_code; ///< nothing else is to be done
};

CommandLine refused(const std::string &why) { return {{}, common::refused(program, why)}; }

CommandLine checked(Plan plan, const std::vector<std::string> &words) {
    if (plan.from >= plan.to)
        return refused("--to = " + std::to_string(plan.to) + ": must be more than --from, " +
                       std::to_string(plan.from));
    for (const std::string &word : words) {
        if (word.starts_with("--nereus-")) continue; // a setting of the library, which checks it
        auto combination = common::read_combination(word);
        if (!combination) return refused(combination.error());
        plan.combinations.push_back(*combination);
    }
    if (plan.combinations.empty()) return refused("found no combination, allowed is METHOD:STRATEGIES, once or more");
    for (const auto &each : plan.combinations)
        if (each.wakes != plan.wakes()) return refused("merge:wake needs a run of its own, without other combinations");
    return {std::move(plan), std::nullopt};
}

CommandLine read_command_line(int argc, char **argv) {
    Plan plan;
    double iteration_ms = 2;
    CLI::App app("Grows from --from to --to processes and shrinks back, in each way that is named, and prints a JSON "
                 "line for each.\nStarted by mpiexec with --from processes, for merge:wake with --to; options "
                 "--nereus-NAME=VALUE are settings of the library.\nCOMBINATION is METHOD:STRATEGIES, as merge:none, "
                 "merge:single+asynchronous, baseline-intra:parallel, merge:wake.\n\n"
                 "Example: mpiexec -n 2 nereus-resizes --from 2 --to 4 merge:none merge:parallel",
                 program);
    app.add_option("--from", plan.from, "processes before")->required()->check(CLI::Range(1, 65536));
    app.add_option("--to", plan.to, "processes after")->required()->check(CLI::Range(1, 65536));
    app.add_option("--repeat", plan.repeat, "rounds over all combinations")->check(CLI::Range(1, 1000000));
    app.add_option("--iteration-ms", iteration_ms, "length of an iteration's computation")
        ->check(CLI::Range(0.0, 10000.0));
    app.footer("COMBINATION...");
    app.allow_extras();
    if (const auto exit_code = common::parse(app, argc, argv)) return {{}, exit_code};
    plan.iteration_seconds = iteration_ms / 1000;
    return checked(std::move(plan), app.remaining());
}

/// The rest of an iteration; false when rank 0 wants to end.
bool all_go_on(const nereus::Job &job, const State &state) {
    const int mine = job.rank() == 0 && state.stage == State::ended ? 0 : 1;
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, job.comm());
    return all == 1;
}

/// One process' stay in the job; returns its exit code.
int stay(const Plan &plan, nereus::Job &job) {
    State state = resizes::first_state(plan);
    const int code = nereus_value(job.get(), "state", MPI_BYTE, sizeof state, &state);
    if (code < 0) throw nereus::Failure(code, job.message());
    resizes::Trials trials(plan, job, state);
    while (true) {
        common::compute(plan.iteration_seconds);
        if (!all_go_on(job, state)) break;
        if (job.rank() == 0) trials.iteration_ended();
        if (job.checkpoint() == nereus::Outcome::leave) break;
    }
    return trials.exit_code();
}

int run(int argc, char **argv) {
    const CommandLine line = read_command_line(argc, argv);
    if (line.exit_code) return *line.exit_code;
    // Whatever the user's settings: what is to be timed is either making or waking.
    setenv("NEREUS_WAKE", line.plan.wakes() ? "on" : "off", 1);
    return common::run_job(program, argc, argv, [&](nereus::Job &job) { return stay(line.plan, job); });
}

}

int main(int argc, char **argv) { return common::with_mpi(argc, argv, run); }
