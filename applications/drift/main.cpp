// SPDX-License-Identifier: BSD-3-Clause
// nereus-drift: rows whose costs change, for the library's load balancing (docs/reference/balance.md).
#include "applications/agreement.hpp"
#include "applications/drift/command_line.hpp"
#include "applications/result.hpp"
#include "tools/common/program.hpp"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

namespace {

using drift::Plan;
using drift::program;

constexpr int doubles_in_row = 8;

/// What all processes know, and newcomers are told.
struct State {
    std::int64_t iterations = 0;  ///< done
    std::int64_t moves = 0;       ///< in which rows were balanced
    std::int64_t rolled_back = 0; ///< resizes; counted by rank 0
    double began = 0;             ///< date of the first iteration
    double ideal_seconds = 0;     ///< of the iterations done
};

class MpiRow {
public:
    MpiRow() {
        MPI_Type_contiguous(doubles_in_row, MPI_DOUBLE, &type_);
        MPI_Type_commit(&type_);
    }
    ~MpiRow() { MPI_Type_free(&type_); }
    MpiRow(const MpiRow &) = delete;
    MpiRow &operator=(const MpiRow &) = delete;
    MPI_Datatype type() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

class Rows {
public:
    Rows(const Plan &plan, const nereus::Job &job) : plan_(plan), job_(job) {
        const std::int32_t equal = 1;
        nereus_distribution distribution{};
        distribution.layout = NEREUS_WEIGHTED;
        distribution.weights = &equal;
        distribution.weight_count = 1;
        const int code = nereus_array_distributed(job.get(), "rows", row_.type(), plan.load.rows, &distribution,
                                                  NEREUS_VARIABLE, &data_, nullptr);
        if (code < 0) throw std::runtime_error(std::string("nereus_array_distributed: ") + nereus_message(job.get()));
    }

    std::int64_t count() const { return nereus_count(job_.get(), "rows"); }
    std::int64_t first() const { return nereus_first(job_.get(), "rows"); }
    std::span<double> numbers() const {
        return {static_cast<double *>(data_), static_cast<std::size_t>(count() * doubles_in_row)};
    }

    /// Each number is that of its row, plus one for each iteration.
    void fill() const {
        std::int64_t place = first() * doubles_in_row;
        for (double &number : numbers()) number = static_cast<double>(place++ / doubles_in_row);
    }

    void compute(std::int64_t iteration) const {
        const nereus::Stage stage(job_, "rows", NEREUS_STAGE_COMPUTE);
        const std::chrono::duration<double> wanted(
            plan_.load.seconds_of(first(), first() + count(), iteration, job_.rank()));
        const auto end = std::chrono::steady_clock::now() + wanted;
        for (double &number : numbers()) number += 1;
        if (plan_.waits) std::this_thread::sleep_until(end);
        while (std::chrono::steady_clock::now() < end) {
        }
    }

    /// Collective. What is wrong with the numbers, or "".
    std::string complaint(std::int64_t iterations) const {
        std::int64_t place = first() * doubles_in_row;
        for (const double number : numbers())
            if (const auto row = place++ / doubles_in_row; number != static_cast<double>(row + iterations))
                return "row " + std::to_string(row) + " has " + std::to_string(number) + " after " +
                       std::to_string(iterations) + " iterations";
        return "";
    }

private:
    const Plan &plan_;
    const nereus::Job &job_;
    MpiRow row_;
    void *data_ = nullptr;
};

/// Collective: with it ranks wait for the one that takes longest.
void meet(const nereus::Job &job) {
    double sum = job.rank();
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, job.comm());
}

void iterate(const Plan &plan, const nereus::Job &job, const Rows &rows, State &state) {
    rows.compute(state.iterations);
    meet(job);
    state.ideal_seconds += plan.load.ideal_seconds(state.iterations, job.size());
    ++state.iterations;
}

int end(const Plan &plan, const nereus::Job &job, const Rows &rows, const State &state) {
    const double seconds = applications::date() - state.began;
    const bool is_wrong = applications::anyone_complains(program, job, rows.complaint(state.iterations));
    applications::write_result(
        job, plan.result,
        {{"program", program},
         {"iterations", state.iterations},
         {"ranks", job.size()},
         {"moves", state.moves},
         {"undone", state.rolled_back},
         {"seconds", seconds},
         {"ideal_seconds", state.ideal_seconds},
         {"rows", rows.count()},
         {"checksum", applications::checksum(job.comm(), rows.numbers(), rows.first() * doubles_in_row)}});
    applications::say_what_never_came(program, job, plan.resizes, state.iterations);
    return is_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

int run_all(const Plan &plan, nereus::Job &job, const Rows &rows, State &state) {
    while (state.iterations < plan.iterations) {
        iterate(plan, job, rows, state);
        applications::ask_for_resizes(program, job, plan.resizes, state.iterations);
        const nereus::Outcome outcome = applications::checkpoint(program, job, state.rolled_back);
        if (outcome == nereus::Outcome::leave) return EXIT_SUCCESS;
        if (outcome == nereus::Outcome::resized && job.last_resize().from == job.last_resize().to) ++state.moves;
    }
    return end(plan, job, rows, state);
}

/// One process' stay in the job; returns its exit code.
int stay(const Plan &plan, nereus::Job &job, State &state, std::optional<Rows> &rows) {
    job.value("state", state);
    rows.emplace(plan, job);
    if (job.generation() == 0) {
        rows->fill();
        state.began = applications::date();
    }
    return run_all(plan, job, *rows, state);
}

int run(int argc, char **argv) {
    const drift::CommandLine line = drift::read_command_line(argc, argv);
    if (line.exit_code) return *line.exit_code;
    State state; // the library writes to both until the job is closed
    std::optional<Rows> rows;
    return common::run_job(program, argc, argv, [&](nereus::Job &job) { return stay(line.plan, job, state, rows); });
}

}

int main(int argc, char **argv) { return common::with_mpi(argc, argv, run); }
