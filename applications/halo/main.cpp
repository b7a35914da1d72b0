// SPDX-License-Identifier: BSD-3-Clause
// nereus-halo: heat in a plate, by processes that talk to their neighbours, and are resized meanwhile.
#include "applications/agreement.hpp"
#include "applications/halo/command_line.hpp"
#include "applications/halo/plate.hpp"
#include "applications/result.hpp"
#include "tools/common/program.hpp"

#include <cstdlib>
#include <optional>

namespace {

using halo::Plan;
using halo::Plate;
using halo::program;

nlohmann::json line_of(const Plan &plan, const nereus::Job &job, const Plate &plate) {
    const double seconds = applications::date() - plate.state.began;
    return {{"program", program},
            {"rows", plan.rows},
            {"columns", plan.columns},
            {"iterations", plate.state.iterations},
            {"converged", applications::is_converged(plan.options, plate.state.iterations, plate.state.change)},
            {"change", plate.state.change},
            {"checksum", applications::checksum(job.comm(), plate.cells(), plate.first_number())},
            {"ranks", job.size()},
            {"resizes", job.generation()},
            {"undone", plate.state.rolled_back},
            {"seconds", seconds}};
}

int iterate(const Plan &plan, nereus::Job &job, Plate &plate) {
    while (!applications::is_done(plan.options, plate.state.iterations, plate.state.change)) {
        plate.iterate();
        applications::ask_for_resizes(program, job, plan.options.resizes, plate.state.iterations);
        if (applications::checkpoint(program, job, plate.state.rolled_back) == nereus::Outcome::leave)
            return EXIT_SUCCESS;
    }
    const nlohmann::json line = line_of(plan, job, plate);
    applications::say_what_never_came(program, job, plan.options.resizes, plate.state.iterations);
    applications::write_result(job, plan.options.result, line);
    return EXIT_SUCCESS;
}

/// One process' stay in the job; returns its exit code.
int stay(const Plan &plan, nereus::Job &job, std::optional<Plate> &plate) {
    if (job.generation() == 0 &&
        applications::anyone_complains(program, job, applications::complaint_of_result(plan.options.result)))
        return common::bad_input;
    plate.emplace(job, halo::Shape{plan.rows, plan.columns, plan.fields, plan.is_ring});
    return iterate(plan, job, *plate);
}

int run(int argc, char **argv) {
    const halo::CommandLine line = halo::read_command_line(argc, argv);
    if (line.exit_code) return *line.exit_code;
    std::optional<Plate> plate; // the library writes to it until the job is closed
    return common::run_job(program, argc, argv, [&](nereus::Job &job) { return stay(line.plan, job, plate); });
}

}

int main(int argc, char **argv) { return common::with_mpi(argc, argv, run); }
