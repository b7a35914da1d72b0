// SPDX-License-Identifier: BSD-3-Clause
// nereus-emulator: the command line, and the frame that every malleable application has.
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <mpi.h>
#include <nereus/nereus.h>

#include "application.hpp"
#include "base/flush_stderr.h"
#include "base/printable.hpp"

namespace {

using emulator::Failure;
using emulator::Result;
using emulator::Run;

struct CommandLine {
    std::string run_file;
    std::string results;
    std::string label;
    std::size_t failures_done = 0;
    bool is_answered = false; ///< --help or --version: nothing else is to be done
};

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

void say(const std::string &sentence) { nereus::print_line("nereus-emulator", sentence); }

// Settings of the library pass: nereus_open() reads them and complains about those that it does not know.
Result<CommandLine> checked(CommandLine line, const std::vector<std::string> &others) {
    for (const std::string &other : others)
        if (!other.starts_with("--nereus-"))
            return emulator::failure(other + ": found an argument too many, allowed --nereus-NAME=VALUE",
                                     emulator::exit_bad_input);
    return line;
}

Result<CommandLine> read_command_line(int argc, char **argv) {
    CommandLine line;
    CLI::App app(
        "Emulates a malleable MPI application: iterates stages of computation, communication and files as a run "
        "file says, and resizes on the way.\nTo be started by mpiexec; options --nereus-NAME=VALUE are settings "
        "of the library.",
        "nereus-emulator");
    app.add_option("run_file", line.run_file, "what to emulate (docs/formats/run.md)")->required();
    app.add_option("--results", line.results,
                   "file for the results (docs/formats/results.md); overwritten, or continued from an epoch")
        ->required();
    app.add_option("--label", line.label, "a word without effect, to distinguish jobs");
    app.add_option("--failures-done", line.failures_done, "so many failures of the run file have happened already");
    app.set_version_flag("--version", std::string("nereus-emulator ") + nereus_version());
    app.allow_extras();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        if (error.get_exit_code() != 0) return emulator::failure(error.what(), emulator::exit_bad_input);
        if (world_rank() == 0) app.exit(error);
        line.is_answered = true;
        return line;
    }
    return checked(line, app.remaining());
}

void add_setting(std::vector<std::string> &arguments, const std::string &flag, const std::string &value) {
    const bool is_given =
        std::ranges::any_of(arguments, [&](const std::string &argument) { return argument.starts_with(flag); });
    if (!is_given) arguments.insert(arguments.begin() + 1, flag + value);
}

// What the run file says of these is a setting of the library; one on the command line wins. Newcomers are started with
// these arguments and find them there already.
std::vector<std::string> job_arguments(int argc, char **argv, const Run &run) {
    std::vector<std::string> arguments(argv, argv + argc);
    if (run.verify) add_setting(arguments, "--nereus-verify=", "on");
    add_setting(arguments, "--nereus-memory=", run.memory);
    // A resize that the schedule does not have would leave the rest of it without a meaning.
    add_setting(arguments, "--nereus-outside-requests=", run.is_commanded() ? "on" : "off");
    return arguments;
}

std::vector<char *> pointers_to(std::vector<std::string> &arguments) {
    std::vector<char *> pointers;
    for (std::string &argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    return pointers;
}

// The other ranks may wait for this one in a call that never ends, so the whole job must.
int end_all(const std::string &sentence) {
    say("rank " + std::to_string(world_rank()) + ": " + sentence);
    flush_stderr_to_reader();
    MPI_Abort(MPI_COMM_WORLD, emulator::exit_failure);
    return emulator::exit_failure;
}

int open_failed(int code, const nereus_job *job) {
    if (code == NEREUS_ERR_SETTING) return emulator::exit_bad_input; // the library has said why
    return end_all(std::string("nereus_open: ") + nereus_code_name(code) + ": " + (job ? nereus_message(job) : ""));
}

int code_of(const Result<emulator::Ending> &ending) {
    if (ending) return 0;
    if (ending.error().is_alone) return end_all(ending.error().sentence);
    if (!ending.error().sentence.empty()) say(ending.error().sentence);
    return ending.error().exit_code;
}

// A process that a resize released may be wanted again: then it opens the job anew, as a newcomer does.
int run_job(const Run &run, const CommandLine &line, std::vector<std::string> settled) {
    const int count = static_cast<int>(settled.size());
    std::vector<char *> arguments = pointers_to(settled);
    while (true) {
        nereus_job *job = nullptr;
        const int code = nereus_open(MPI_COMM_WORLD, count, arguments.data(), &job);
        if (code < 0) return open_failed(code, job);
        int exit_code = 0;
        emulator::Application application(run, line.results, line.failures_done, job);
        if (code != NEREUS_LEAVE) exit_code = code_of(application.run());
        if (nereus_close(&job) != NEREUS_WOKEN) return exit_code;
    }
}

int failed_before_start(const Failure &why) {
    if (world_rank() == 0) say(why.sentence);
    return why.exit_code;
}

int emulate(int argc, char **argv) {
    const auto line = read_command_line(argc, argv);
    if (!line) return failed_before_start(line.error());
    if (line->is_answered) return 0;
    const auto run = emulator::load_run(line->run_file, MPI_COMM_WORLD);
    if (!run) return failed_before_start(run.error());
    return run_job(*run, *line, job_arguments(argc, argv, *run));
}

} // namespace

int main(int argc, char **argv) {
    // Asynchronous strategies need it. Where the MPI gives less, the library refuses them and says why.
    int thread_level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &thread_level);
    int exit_code = emulator::exit_failure;
    try {
        exit_code = emulate(argc, argv);
    } catch (const std::exception &error) {
        exit_code = end_all(error.what());
    }
    MPI_Finalize();
    return exit_code;
}
