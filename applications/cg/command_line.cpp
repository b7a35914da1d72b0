// SPDX-License-Identifier: BSD-3-Clause
#include "applications/cg/command_line.hpp"

#include "applications/cg/irregular.hpp"
#include "applications/cg/matrix_file.hpp"
#include "applications/cg/poisson.hpp"
#include "applications/gather.hpp"
#include "tools/common/program.hpp"

#include <CLI/CLI.hpp>

namespace cg {
namespace {

constexpr std::int64_t largest_side = 1290; // its cube is the last below applications::most_gathered

void add_matrices(CLI::App &app, Plan &plan) {
    auto *matrices = app.add_option_group("matrix", "one of these");
    matrices->add_option("--matrix", plan.file, "file that `nereus matrix convert` made");
    auto *poisson = matrices->add_option("--poisson", plan.poisson_side, "Poisson's equation on a cube of N^3 points");
    poisson->check(CLI::Range(std::int64_t{1}, largest_side));
    matrices->add_option("--irregular", plan.irregular_rows, "as of finite elements, unbalanced, with N rows")
        ->check(CLI::Range(std::int64_t{1}, applications::most_gathered));
    matrices->require_option(1);
    app.add_option("--points", plan.points, "of a row of --poisson")->check(CLI::IsMember({7, 27}))->needs(poisson);
}

}

CommandLine read_command_line(int argc, char **argv) {
    Plan plan;
    CLI::App app("Solves A x = b by Conjugate Gradient, with b such that all elements of x are 1, and prints a line of "
                 "JSON.\nOptions --nereus-NAME=VALUE are settings of the library.\n\n"
                 "Example: mpiexec -n 2 nereus-cg --poisson 20 --resize 10:4 --resize 20:1",
                 program);
    add_matrices(app, plan);
    applications::add_options(app, plan.options);
    if (const auto exit_code = common::parse(app, argc, argv)) return {{}, exit_code};
    if (const std::string why = applications::complaint_of_words(app); !why.empty())
        return {{}, common::refused(program, why)};
    return {std::move(plan), std::nullopt};
}

tl::expected<std::unique_ptr<MatrixSource>, std::string> source_of(const Plan &plan) {
    if (!plan.file.empty()) return open_matrix(plan.file);
    if (plan.poisson_side > 0) return std::make_unique<Poisson>(plan.poisson_side, plan.points);
    return std::make_unique<Irregular>(plan.irregular_rows);
}

}
