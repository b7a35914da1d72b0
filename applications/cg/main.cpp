// SPDX-License-Identifier: BSD-3-Clause
// nereus-cg: solves a sparse linear system by Conjugate Gradient and is resized meanwhile.
#include "applications/agreement.hpp"
#include "applications/cg/command_line.hpp"
#include "applications/cg/solver.hpp"
#include "applications/result.hpp"
#include "tools/common/program.hpp"

#include <cstdlib>
#include <optional>

namespace {

using cg::Plan;
using cg::program;
using cg::Solver;

bool is_done(const Plan &plan, const Solver &solver) {
    return solver.state.iterations >= plan.options.iterations || solver.relative_residual() <= plan.options.tolerance;
}

nlohmann::json line_of(const Plan &plan, const nereus::Job &job, Solver &solver) {
    const double seconds = applications::date() - solver.state.began;
    const cg::Solution solution = solver.solution();
    return {{"program", program},
            {"rows", solver.state.rows},
            {"iterations", solver.state.iterations},
            {"converged", solver.relative_residual() <= plan.options.tolerance},
            {"relative_residual", solver.relative_residual()},
            {"true_residual", solution.true_residual},
            {"error", solution.error},
            {"checksum", solution.checksum},
            {"ranks", job.size()},
            {"resizes", job.generation()},
            {"undone", solver.state.rolled_back},
            {"seconds", seconds}};
}

int end(const Plan &plan, nereus::Job &job, Solver &solver) {
    const nlohmann::json line = line_of(plan, job, solver);
    applications::say_what_never_came(program, job, plan.options.resizes, solver.state.iterations);
    applications::write_result(job, plan.options.result, line);
    return EXIT_SUCCESS;
}

int give_up(const nereus::Job &job, const Solver &solver) {
    if (job.rank() == 0)
        common::say(program, "iteration " + std::to_string(solver.state.iterations + 1) + ": p.Ap = " +
                                 std::to_string(solver.state.curvature) + ": the matrix is not positive definite");
    return EXIT_FAILURE;
}

int iterate(const Plan &plan, nereus::Job &job, Solver &solver) {
    while (!is_done(plan, solver)) {
        if (!solver.iterate()) return give_up(job, solver);
        applications::ask_for_resizes(program, job, plan.options.resizes, solver.state.iterations);
        const nereus::Outcome outcome = applications::checkpoint(program, job, solver.state.rolled_back);
        if (outcome == nereus::Outcome::leave) return EXIT_SUCCESS;
        if (outcome == nereus::Outcome::resized) solver.begin_generation();
    }
    return end(plan, job, solver);
}

/// Collective, by founders. False where the input cannot be used, which has been said.
bool begin(const Plan &plan, nereus::Job &job, std::optional<Solver> &solver) {
    const auto source = cg::source_of(plan);
    if (applications::anyone_complains(program, job, source ? "" : source.error()) ||
        applications::anyone_complains(program, job, applications::complaint_of_result(plan.options.result)))
        return false;
    return solver.emplace(job, (*source)->rows()).begin(**source);
}

/// One process' stay in the job; returns its exit code.
int stay(const Plan &plan, nereus::Job &job, std::optional<Solver> &solver) {
    if (job.generation() > 0)
        solver.emplace(job, 0).arrive();
    else if (!begin(plan, job, solver))
        return common::bad_input;
    return iterate(plan, job, *solver);
}

int run(int argc, char **argv) {
    const cg::CommandLine line = cg::read_command_line(argc, argv);
    if (line.exit_code) return *line.exit_code;
    std::optional<Solver> solver; // the library writes to it until the job is closed
    return common::run_job(program, argc, argv, [&](nereus::Job &job) { return stay(line.plan, job, solver); });
}

}

int main(int argc, char **argv) { return common::with_mpi(argc, argv, run); }
