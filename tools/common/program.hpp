// SPDX-License-Identifier: BSD-3-Clause
// From main() to the end of a program that tries ways: MPI, the command line, the job, and what is said on stderr.
//
// `program` is the name that begins all that is said.
#pragma once

#include <nereus/nereus.hpp>

#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace common {

inline constexpr int bad_input = 2; ///< exit code

/// Runs `run` between MPI_Init_thread() and MPI_Finalize(). @return its exit code
int with_mpi(int argc, char **argv, int (*run)(int argc, char **argv));

/// Reads the command line of MPI_COMM_WORLD, of which rank 0 prints help and complaints. @return the exit code where
/// nothing else is to be done
std::optional<int> parse(CLI::App &app, int argc, char **argv);

/// Rank 0 of MPI_COMM_WORLD says what is wrong with the command line. @return bad_input
int refused(const std::string &program, const std::string &why);

/// One line on stderr.
void say(const std::string &program, const std::string &what);

/// Says what went wrong on this rank, and ends all processes. @return EXIT_FAILURE
int end_all(const std::string &program, const std::string &why);

/// A job that founders begin; `stay`, a process' stay in it, returns an exit code. What goes wrong ends all processes.
/// @return the largest exit code of this process' stays
int run_job(const std::string &program, int argc, char **argv, const std::function<int(nereus::Job &)> &stay);

}
