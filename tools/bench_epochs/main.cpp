// SPDX-License-Identifier: BSD-3-Clause
// nereus-epochs: an application with so much data that iterates, and writes down when; others save, kill and continue
// it meanwhile.
#include "data.hpp"
#include "tools/common/clock.hpp"
#include "tools/common/compute.hpp"
#include "tools/common/event_log.hpp"
#include "tools/common/program.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

constexpr const char *program = "nereus-epochs";

struct Plan {
    std::int64_t bytes = 64 << 20;
    double iteration_seconds = 0.002;
    std::int64_t iterations = std::numeric_limits<std::int64_t>::max();
    std::string log;
};

struct CommandLine {
    Plan plan;
    std::optional<int> exit_code; ///< nothing else is to be done
};

CommandLine read_command_line(int argc, char **argv) {
    Plan plan;
    double iteration_ms = 1000 * plan.iteration_seconds;
    CLI::App app("Iterates until it is ended, or --iterations are over, and writes into --log when it was opened and "
                 "when each iteration ended.\nOptions --nereus-NAME=VALUE are settings of the library.\n\n"
                 "Example: nereus run -n 2 --save saved -- nereus-epochs --bytes 67108864 --log events.jsonl",
                 program);
    app.add_option("--bytes", plan.bytes, "of its data")->check(CLI::Range(std::int64_t{8}, std::int64_t{1} << 50));
    app.add_option("--iteration-ms", iteration_ms, "length of an iteration's computation")
        ->check(CLI::Range(0.0, 10000.0));
    app.add_option("--iterations", plan.iterations, "how many")
        ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
    app.add_option("--log", plan.log, "file that lines are appended to")->required();
    app.allow_extras();
    if (const auto exit_code = common::parse(app, argc, argv)) return {{}, exit_code};
    for (const std::string &word : app.remaining())
        if (!word.starts_with("--nereus-")) return {{}, common::refused(program, word + ": no option of this program")};
    plan.iteration_seconds = iteration_ms / 1000;
    return {std::move(plan), std::nullopt};
}

/// On rank 0: the process of each rank.
std::vector<int> pids_of(const nereus::Job &job) {
    std::vector<int> pids(static_cast<std::size_t>(job.size()));
    const int mine = getpid();
    MPI_Gather(&mine, 1, MPI_INT, pids.data(), 1, MPI_INT, 0, job.comm());
    return pids;
}

int iterate(const Plan &plan, nereus::Job &job, const common::EventLog &log, std::int64_t &iteration) {
    while (iteration < plan.iterations) {
        common::compute(plan.iteration_seconds);
        MPI_Barrier(job.comm());
        ++iteration;
        if (job.rank() == 0) log.iterated(iteration);
        if (job.checkpoint() == nereus::Outcome::leave) break;
    }
    return EXIT_SUCCESS;
}

/// One process' stay in the job; returns its exit code. @param iteration  the library writes to it until the job is
/// closed
int stay(const Plan &plan, nereus::Job &job, double began, std::int64_t &iteration) {
    job.value("iteration", iteration);
    const epochs_bench::Data data(job, plan.bytes);
    const std::vector<int> pids = pids_of(job);
    const double seconds = common::now() - began;
    if (!data.is_right()) throw nereus::Failure(NEREUS_ERR_TRANSFER, "the data of the epoch is wrong");
    const common::EventLog log(plan.log);
    if (job.rank() == 0) log.opened(iteration, seconds, pids);
    return iterate(plan, job, log, iteration);
}

int run(int argc, char **argv) {
    const CommandLine line = read_command_line(argc, argv);
    if (line.exit_code) return *line.exit_code;
    const double began = common::now();
    std::int64_t iteration = 0;
    return common::run_job(program, argc, argv,
                           [&](nereus::Job &job) { return stay(line.plan, job, began, iteration); });
}

}

int main(int argc, char **argv) { return common::with_mpi(argc, argv, run); }
