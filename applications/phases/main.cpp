// SPDX-License-Identifier: BSD-3-Clause
// nereus-phases: iterations that are waits, I/O phases that really write, and resizes meanwhile.
#include "applications/agreement.hpp"
#include "applications/phases/command_line.hpp"
#include "applications/random.hpp"
#include "applications/result.hpp"
#include "applications/shared_file.hpp"
#include "tools/common/lines.hpp"
#include "tools/common/program.hpp"

#include <cstdlib>
#include <span>
#include <stdexcept>

namespace {

using nlohmann::json;
using phases::Plan;
using phases::program;

/// What all processes know, and newcomers are told.
struct State {
    std::int64_t iterations = 0;  ///< done
    std::int64_t phases = 0;      ///< written
    std::int64_t rolled_back = 0; ///< resizes; counted by rank 0
    double began = 0;             ///< date of the first iteration
};

applications::SharedFile file_of(const Plan &plan) {
    return {plan.file, plan.bytes / std::int64_t{sizeof(std::uint64_t)}, plan.piece};
}

/// What a phase writes: each number follows from its place and the phase.
applications::Fill numbers_of(std::int64_t phase) {
    const std::uint64_t seed = applications::mixed(static_cast<std::uint64_t>(phase));
    return [seed](std::int64_t first, std::span<std::uint64_t> numbers) {
        auto place = static_cast<std::uint64_t>(first);
        for (std::uint64_t &each : numbers) each = applications::mixed(place++ ^ seed);
    };
}

void say(const nereus::Job &job, const json &line) {
    if (job.rank() == 0) common::print(line);
}

void write(const Plan &plan, const nereus::Job &job, State &state) {
    const applications::SharedFile file = file_of(plan);
    const double asked = applications::date();
    double granted = 0;
    std::string why;
    int code = NEREUS_OK;
    {
        const nereus::IoPhase phase(job, file.share_bytes(job.rank(), job.size()));
        code = phase.code();
        granted = applications::date();
        why = file.write(job.comm(), numbers_of(state.phases + 1));
    }
    if (!why.empty()) throw std::runtime_error(why);
    ++state.phases;
    say(job, {{"event", "phase"},
              {"phase", state.phases},
              {"iteration", state.iterations},
              {"ranks", job.size()},
              {"code", nereus_code_name(code)},
              {"start_unix", asked},
              {"wait_seconds", granted - asked},
              {"service_seconds", applications::date() - granted}});
}

void iterate(const Plan &plan, const nereus::Job &job, State &state, phases::Timer &timer) {
    timer.wait(plan.wait.seconds(state.iterations, job.size()));
    ++state.iterations;
    if (plan.every == 0 || state.iterations % plan.every != 0) return;
    write(plan, job, state);
    timer.begin();
}

void say_resized(const nereus::Job &job, const State &state) {
    say(job, {{"event", "resized"},
              {"iteration", state.iterations},
              {"ranks", job.size()},
              {"time_unix", applications::date()}});
}

/// Collective. What is wrong with the file of the last phase, or "".
std::string complaint_of_file(const Plan &plan, const nereus::Job &job, const State &state) {
    if (!plan.checks || state.phases == 0) return "";
    const std::string owner = "I/O phase " + std::to_string(state.phases);
    return file_of(plan).check(job.comm(), numbers_of(state.phases), owner);
}

int end(const Plan &plan, const nereus::Job &job, const State &state) {
    say(job, {{"event", "ended"},
              {"program", program},
              {"iterations", state.iterations},
              {"phases", state.phases},
              {"ranks", job.size()},
              {"resizes", job.generation()},
              {"undone", state.rolled_back},
              {"start_unix", state.began},
              {"seconds", applications::date() - state.began}});
    applications::say_what_never_came(program, job, plan.resizes, state.iterations);
    const std::string complaint = complaint_of_file(plan, job, state);
    if (complaint.empty()) return EXIT_SUCCESS;
    if (job.rank() == 0) common::say(program, complaint);
    return EXIT_FAILURE;
}

int run_all(const Plan &plan, nereus::Job &job, State &state) {
    phases::Timer timer;
    while (state.iterations < plan.iterations) {
        iterate(plan, job, state, timer);
        applications::ask_for_resizes(program, job, plan.resizes, state.iterations);
        const nereus::Outcome outcome = applications::checkpoint(program, job, state.rolled_back);
        if (outcome == nereus::Outcome::leave) return EXIT_SUCCESS;
        if (outcome != nereus::Outcome::resized) continue;
        say_resized(job, state);
        timer.begin();
    }
    return end(plan, job, state);
}

/// Collective, by founders. False where the file cannot be made, which has been said.
bool can_write(const Plan &plan, const nereus::Job &job) {
    return plan.every == 0 || !applications::anyone_complains(program, job, file_of(plan).make(job.comm()));
}

/// One process' stay in the job; returns its exit code.
int stay(const Plan &plan, nereus::Job &job, State &state) {
    job.value("state", state);
    if (job.generation() == 0) {
        if (!can_write(plan, job)) return common::bad_input;
        state.began = applications::date();
    }
    return run_all(plan, job, state);
}

int run(int argc, char **argv) {
    const phases::CommandLine line = phases::read_command_line(argc, argv);
    if (line.exit_code) return *line.exit_code;
    applications::wait_for(line.plan.start);
    State state; // the library writes to it until the job is closed
    return common::run_job(program, argc, argv, [&](nereus::Job &job) { return stay(line.plan, job, state); });
}

}

int main(int argc, char **argv) { return common::with_mpi(argc, argv, run); }
