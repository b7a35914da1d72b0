// SPDX-License-Identifier: BSD-3-Clause
// nereus-transfers: an application that iterates over its data and is resized in each way that it is told, and says
// what that cost; or measures what this machine's memory and MPI can do at best.
#include "command_line.hpp"
#include "limits.hpp"
#include "tools/common/clock.hpp"
#include "tools/common/program.hpp"
#include "work.hpp"

#include <array>
#include <cstdlib>

namespace {

using transfers::Command;
using transfers::Data;
using transfers::Plan;
using transfers::State;
using transfers::Trials;

/// What rank 0 wants of the next iteration, and how many wrong elements all ranks found.
struct Agreed {
    std::int64_t command = 0;
    std::int64_t wrong = 0;
};

Agreed agree(const nereus::Job &job, Agreed mine) {
    const std::array<std::int64_t, 2> in{job.rank() == 0 ? mine.command : 0, mine.wrong};
    std::array<std::int64_t, 2> out{};
    MPI_Allreduce(in.data(), out.data(), 2, MPI_INT64_T, MPI_SUM, job.comm());
    return {out[0], out[1]};
}

State state_of(const Plan &plan, nereus::Job &job) {
    State state;
    if (job.generation() > 0) return state; // it comes with the registration
    state.steps = transfers::steps_in(plan.iteration_seconds);
    MPI_Bcast(&state.steps, 1, MPI_INT64_T, 0, job.comm());
    return state;
}

/// One process' stay in the job.
class Stay {
public:
    Stay(const Plan &plan, nereus::Job &job)
        : plan_(plan), job_(job), state_(state_of(plan, job)), data_(job, plan.amount), trials_(plan, job, state_) {
        const int code = nereus_value(job.get(), "state", MPI_BYTE, sizeof state_, &state_);
        if (code < 0) throw nereus::Failure(code, job.message());
    }

    /// Returns the process' exit code.
    int iterate() {
        bool is_new = true;
        do {
            if (is_new) begin_generation();
            iteration();
            if (agreed_.command & Command::end_now) break;
            const nereus::Outcome outcome = job_.checkpoint();
            if (outcome == nereus::Outcome::leave) break;
            is_new = outcome == nereus::Outcome::resized;
            if (!is_new && job_.rank() == 0) trials_.checkpoint_passed();
        } while (true);
        return trials_.exit_code();
    }

private:
    void begin_generation() {
        if (job_.rank() == 0 && job_.generation() > 0) trials_.generation_begun();
        agreed_ = {job_.generation() > 0 ? std::int64_t{Command::touch_everything} : 0, 0};
        wanted_ = 0;
    }

    void iteration() {
        const double start = common::now();
        transfers::compute(state_.steps);
        if (agreed_.command & Command::touch_everything)
            data_.touch_all();
        else
            data_.touch_some();
        const std::int64_t wrong = agreed_.command & Command::check_data ? data_.wrong(plan_.checks_all) : 0;
        agreed_ = agree(job_, {wanted_, wrong});
        wanted_ = job_.rank() == 0 ? trials_.iteration_ended(common::now() - start, agreed_.wrong) : 0;
    }

    const Plan &plan_;
    nereus::Job &job_;
    State state_;
    Data data_;
    Trials trials_;
    Agreed agreed_;           ///< what this iteration has to do
    std::int64_t wanted_ = 0; ///< what rank 0 tells at the end of this iteration
};

int run_trials(const Plan &plan, int argc, char **argv) {
    // Whatever the user's settings: processes are either made or woken, and arrays lie where the ways have them.
    setenv("NEREUS_WAKE", plan.wakes() ? "on" : "off", 1);
    setenv("NEREUS_MEMORY", plan.ways.front().is_shared ? "shared" : "private", 1);
    return common::run_job(transfers::program, argc, argv, [&](nereus::Job &job) { return Stay(plan, job).iterate(); });
}

int run(int argc, char **argv) {
    const transfers::CommandLine line = transfers::read_command_line(argc, argv);
    if (line.exit_code) return *line.exit_code;
    const Plan &plan = line.plan;
    if (plan.measures_limits) return transfers::measure_limits(plan.from, plan.to, plan.amount);
    return run_trials(plan, argc, argv);
}

}

int main(int argc, char **argv) { return common::with_mpi(argc, argv, run); }
