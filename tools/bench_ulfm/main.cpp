// SPDX-License-Identifier: BSD-3-Clause
// nereus-ulfm: an application that survives deaths of its processes by itself, with an MPI that has ULFM. It iterates
// on as much data as nereus-epochs does, and writes down the same; others kill its processes meanwhile.
#include "blocks.hpp"
#include "copies.hpp"
#include "survivors.hpp"
#include "tools/common/clock.hpp"
#include "tools/common/compute.hpp"
#include "tools/common/event_log.hpp"
#include "tools/common/program.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace ulfm_bench {
namespace {

constexpr const char *program = "nereus-ulfm";

struct Plan {
    std::int64_t bytes = 64 << 20;
    double iteration_seconds = 0.002;
    double copy_every = 1.0;
    bool replaces = false;
    std::string log;
};

/// What newcomers do not know.
struct Known {
    std::int64_t iteration;
    int former_processes;
};

class Application {
public:
    Application(Plan plan, char **argv) : plan_(std::move(plan)), argv_(argv), log_(plan_.log) {}

    /// Until it is ended.
    [[noreturn]] void run() {
        begin(common::now());
        while (true) {
            try {
                iterate();
            } catch (const ProcessDied &) {
                recover(common::now());
            }
        }
    }

private:
    Blocks blocks() const {
        int processes = 0;
        MPI_Comm_size(comm_, &processes);
        return {static_cast<std::size_t>(plan_.bytes) / sizeof(std::uint64_t), processes};
    }

    int rank() const {
        int rank = 0;
        MPI_Comm_rank(comm_, &rank);
        return rank;
    }

    void begin(double began) {
        comm_ = with_those_before();
        if (comm_ != MPI_COMM_NULL) return restore(began);
        check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_));
        check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
        data_ = filled(blocks().of(rank()));
        opened(began);
    }

    void iterate() {
        common::compute(plan_.iteration_seconds);
        int is_due = common::now() >= next_copy_ ? 1 : 0;
        check(MPI_Allreduce(MPI_IN_PLACE, &is_due, 1, MPI_INT, MPI_MAX, comm_)); // all copy in the same iteration
        ++iteration_;
        if (rank() == 0) log_.iterated(iteration_);
        if (is_due != 0) copy();
    }

    void copy() {
        copies_.make(comm_, data_, iteration_);
        next_copy_ = common::now() + plan_.copy_every;
    }

    void recover(double began) {
        comm_ = survivors_of(comm_);
        copies_.take_common(comm_);
        const int missing = copies_.processes() - blocks().processes;
        if (plan_.replaces) comm_ = with_newcomers(comm_, missing, argv_);
        restore(began);
    }

    void restore(double began) {
        Known known{copies_.iteration(), copies_.processes()};
        check(MPI_Bcast(&known, sizeof known, MPI_BYTE, 0, comm_));
        iteration_ = known.iteration;
        const Blocks now = blocks();
        data_ = copies_.restored(comm_, now, {now.elements, known.former_processes});
        opened(began);
    }

    void opened(double began) {
        const double seconds = common::now() - began;
        if (!is_right(data_, blocks().of(rank()))) throw std::runtime_error("the data is wrong");
        std::vector<int> pids(static_cast<std::size_t>(blocks().processes));
        const int mine = getpid();
        check(MPI_Gather(&mine, 1, MPI_INT, pids.data(), 1, MPI_INT, 0, comm_));
        if (rank() == 0) log_.opened(iteration_, seconds, pids);
    }

    Plan plan_;
    char **argv_;
    common::EventLog log_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    Elements data_;
    Copies copies_;
    std::int64_t iteration_ = 0;
    double next_copy_ = 0;
};

struct CommandLine {
    Plan plan;
    std::optional<int> exit_code; ///< nothing else is to be done
};

CommandLine read_command_line(int argc, char **argv) {
    Plan plan;
    double iteration_ms = 1000 * plan.iteration_seconds;
    CLI::App app("Iterates until it is ended, and survives deaths of its processes by ULFM: those that are left share "
                 "the data, or new processes take the place of the dead. Writes into --log when all data was there and "
                 "when each iteration ended.\n\n"
                 "Example: mpiexec --with-ft ulfm -n 3 nereus-ulfm --bytes 67108864 --log events.jsonl",
                 program);
    app.add_option("--bytes", plan.bytes, "of its data")->check(CLI::Range(std::int64_t{8}, std::int64_t{1} << 33));
    app.add_option("--iteration-ms", iteration_ms, "length of an iteration's computation")
        ->check(CLI::Range(0.0, 10000.0));
    app.add_option("--copy-every", plan.copy_every, "seconds between copies of the data in memory")
        ->check(CLI::Range(0.001, 1e6));
    app.add_flag("--replace", plan.replaces, "start new processes in place of the dead");
    app.add_option("--log", plan.log, "file that lines are appended to")->required();
    if (const auto exit_code = common::parse(app, argc, argv)) return {{}, exit_code};
    plan.iteration_seconds = iteration_ms / 1000;
    return {std::move(plan), std::nullopt};
}

int run(int argc, char **argv) {
    const CommandLine line = read_command_line(argc, argv);
    if (line.exit_code) return *line.exit_code;
    try {
        Application(line.plan, argv).run();
    } catch (const std::exception &error) {
        return common::end_all(program, error.what());
    }
}

}
}

int main(int argc, char **argv) { return common::with_mpi(argc, argv, ulfm_bench::run); }
