// SPDX-License-Identifier: BSD-3-Clause
#include "tools/common/program.hpp"

#include "base/flush_stderr.h"
#include "base/printable.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>

namespace common {
namespace {

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

}

int end_all(const std::string &program, const std::string &why) {
    say(program, "rank " + std::to_string(world_rank()) + ": " + why);
    flush_stderr_to_reader();
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    return EXIT_FAILURE;
}

int with_mpi(int argc, char **argv, int (*run)(int argc, char **argv)) {
    int thread_level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &thread_level);
    const int exit_code = run(argc, argv);
    MPI_Finalize();
    return exit_code;
}

std::optional<int> parse(CLI::App &app, int argc, char **argv) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        if (error.get_exit_code() != 0) return refused(app.get_name(), error.what());
        if (world_rank() == 0) app.exit(error);
        return EXIT_SUCCESS;
    }
    return std::nullopt;
}

int refused(const std::string &program, const std::string &why) {
    if (world_rank() == 0) say(program, why);
    return bad_input;
}

void say(const std::string &program, const std::string &what) { nereus::print_line(program, what); }

int run_job(const std::string &program, int argc, char **argv, const std::function<int(nereus::Job &)> &stay) {
    int exit_code = EXIT_SUCCESS;
    try {
        nereus::run(MPI_COMM_WORLD, argc, argv, [&](nereus::Job &job) { exit_code = std::max(exit_code, stay(job)); });
    } catch (const nereus::Failure &failure) {
        if (failure.code() == NEREUS_ERR_SETTING) return bad_input; // the library has said why
        return end_all(program, failure.what());
    } catch (const std::exception &error) {
        return end_all(program, error.what());
    }
    return exit_code;
}

}
