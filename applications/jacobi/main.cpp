// SPDX-License-Identifier: BSD-3-Clause
// nereus-jacobi: solves a dense system of equations, writes its solution to a file, and is resized meanwhile.
#include "applications/agreement.hpp"
#include "applications/jacobi/command_line.hpp"
#include "applications/jacobi/solver.hpp"
#include "applications/result.hpp"
#include "applications/shared_file.hpp"
#include "tools/common/program.hpp"

#include <bit>
#include <cstdlib>
#include <optional>
#include <span>
#include <stdexcept>

namespace {

using jacobi::Plan;
using jacobi::program;
using jacobi::Solver;

bool is_converged(const Plan &plan, const Solver &solver) {
    return applications::is_converged(plan.options, solver.state.iterations, solver.state.change);
}

bool is_done(const Plan &plan, const Solver &solver) {
    return applications::is_done(plan.options, solver.state.iterations, solver.state.change);
}

applications::SharedFile file_of(const Plan &plan) { return {plan.file, plan.rows * plan.copies, plan.piece}; }

/// What the file holds: the solution, again and again.
applications::Fill copies_of(std::span<const double> solution) {
    return [solution](std::int64_t first, std::span<std::uint64_t> numbers) {
        std::size_t row = static_cast<std::size_t>(first) % solution.size();
        for (std::uint64_t &each : numbers) {
            each = std::bit_cast<std::uint64_t>(solution[row]);
            if (++row == solution.size()) row = 0;
        }
    };
}

std::string write_file(const Plan &plan, const nereus::Job &job, std::span<const double> solution) {
    const applications::SharedFile file = file_of(plan);
    const std::int64_t bytes = file.share_bytes(job.rank(), job.size());
    const nereus::IoPhase phase(job, bytes);
    const nereus::Stage stage(job, "write", NEREUS_STAGE_WRITE, bytes);
    return file.write(job.comm(), copies_of(solution));
}

void write(const Plan &plan, const nereus::Job &job, Solver &solver) {
    const std::string why = write_file(plan, job, solver.gathered());
    if (!why.empty()) throw std::runtime_error(why);
    ++solver.state.writes;
}

void write_when_wanted(const Plan &plan, const nereus::Job &job, Solver &solver) {
    const bool is_last = is_done(plan, solver);
    const bool is_turn = plan.write_every > 0 && solver.state.iterations % plan.write_every == 0;
    if (!plan.file.empty() && (is_turn || is_last)) write(plan, job, solver);
}

nlohmann::json line_of(const Plan &plan, const nereus::Job &job, const Solver &solver) {
    return {{"program", program},
            {"rows", plan.rows},
            {"iterations", solver.state.iterations},
            {"converged", is_converged(plan, solver)},
            {"change", solver.state.change},
            {"error", solver.error()},
            {"checksum", applications::checksum(job.comm(), solver.part(), solver.first())},
            {"writes", solver.state.writes},
            {"ranks", job.size()},
            {"resizes", job.generation()},
            {"undone", solver.state.rolled_back}};
}

/// Collective. What is wrong with the results, or "".
std::string complaint_of_results(const Plan &plan, const nereus::Job &job, Solver &solver) {
    const double error = solver.error();
    if (solver.state.iterations > 0 && !(error <= solver.error_bound()))
        return "the solution is wrong by " + std::to_string(error) + ": after this iteration " +
               std::to_string(solver.error_bound()) + " is possible";
    if (plan.file.empty() || solver.state.writes == 0) return "";
    return file_of(plan).check(job.comm(), copies_of(solver.gathered()), "the solution");
}

int end(const Plan &plan, nereus::Job &job, Solver &solver) {
    nlohmann::json line = line_of(plan, job, solver);
    const double seconds = applications::date() - solver.state.began;
    line["seconds"] = seconds;
    applications::say_what_never_came(program, job, plan.options.resizes, solver.state.iterations);
    const std::string complaint = plan.checks ? complaint_of_results(plan, job, solver) : "";
    applications::write_result(job, plan.options.result, line);
    if (complaint.empty()) return EXIT_SUCCESS;
    if (job.rank() == 0) common::say(program, complaint);
    return EXIT_FAILURE;
}

int iterate(const Plan &plan, nereus::Job &job, Solver &solver) {
    while (!is_done(plan, solver)) {
        solver.iterate();
        write_when_wanted(plan, job, solver);
        applications::ask_for_resizes(program, job, plan.options.resizes, solver.state.iterations);
        const nereus::Outcome outcome = applications::checkpoint(program, job, solver.state.rolled_back);
        if (outcome == nereus::Outcome::leave) return EXIT_SUCCESS;
        if (outcome == nereus::Outcome::resized) solver.begin_generation();
    }
    return end(plan, job, solver);
}

/// Collective, by founders. False where a file cannot be made, which has been said.
bool can_write(const Plan &plan, const nereus::Job &job) {
    const std::string why = plan.file.empty() ? "" : file_of(plan).make(job.comm());
    return !applications::anyone_complains(program, job, why) &&
           !applications::anyone_complains(program, job, applications::complaint_of_result(plan.options.result));
}

/// One process' stay in the job; returns its exit code.
int stay(const Plan &plan, nereus::Job &job, std::optional<Solver> &solver) {
    if (job.generation() == 0 && !can_write(plan, job)) return common::bad_input;
    return iterate(plan, job, solver.emplace(job, plan.rows));
}

int run(int argc, char **argv) {
    const jacobi::CommandLine line = jacobi::read_command_line(argc, argv);
    if (line.exit_code) return *line.exit_code;
    applications::wait_for(line.plan.start);
    std::optional<Solver> solver; // the library writes to it until the job is closed
    return common::run_job(program, argc, argv, [&](nereus::Job &job) { return stay(line.plan, job, solver); });
}

}

int main(int argc, char **argv) { return common::with_mpi(argc, argv, run); }
