// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 does between the iterations: asks for each resize in turn, and reports what became of it.
//
// In:  the combinations to try, the job, and the end of each iteration.
// Out: for each trial two JSON lines on stdout, {"trying": COMBINATION} when it begins and what became of it as soon as
//      that is known, so that a trial that hangs or kills the program leaves those before it, and its name.
// One trial: iterate for a while, ask for more processes, iterate until they are there and a while longer, shrink
// back. The state travels as a value of the job, because Baseline replaces rank 0 in the middle of a trial.
#pragma once

#include "tools/common/combination.hpp"

#include <cstdint>
#include <nereus/nereus.hpp>
#include <string>
#include <vector>

namespace resizes {

using common::Combination;

inline constexpr const char *program = "nereus-resizes"; ///< begins what is said on stderr

struct Plan {
    int from = 0;
    int to = 0;
    int repeat = 1;
    double iteration_seconds = 0;
    std::vector<Combination> combinations;

    bool wakes() const { return combinations.front().wakes; }
    /// Processes that the job is started with: those to be woken later are parked by a shrink first.
    int founders() const { return wakes() ? to : from; }
};

struct State {
    enum Stage : std::int64_t { warming, growing, staying, shrinking, ended };

    std::int64_t trial = 0;
    std::int64_t stage = warming;
    std::int64_t iterations = 0; ///< of this stage
    std::uint64_t request = 0;   ///< the one that is waited for
    double usual_gap = 0;        ///< median seconds from the end of an iteration to the next, before the request
    double longest_gap = 0;      ///< since the request
};

State first_state(const Plan &plan);

class Trials {
public:
    Trials(const Plan &plan, nereus::Job &job, State &state) : plan_(plan), job_(job), state_(state) {}

    /// To be called on rank 0 at the end of each iteration.
    void iteration_ended();

    int exit_code() const { return exit_code_; }

private:
    void note_gap();
    void ask(int ranks, const Combination &combination);
    void grow();
    void shrink();
    void look_at_growth();
    void look_at_shrink();
    void next_trial();
    void give_up(int exit_code, const std::string &why);
    void enter(State::Stage stage);
    void report_refused(const std::string &why) const;
    void report_done(const nereus_resize_report &report) const;
    const Combination &combination() const;
    Combination way_back() const;
    double stall(const nereus_resize_report &report) const;

    const Plan &plan_;
    nereus::Job &job_;
    State &state_;
    int exit_code_ = 0;
    double last_end_ = 0; ///< 0: no iteration has ended in this process yet
    std::vector<double> gaps_;
};

}
