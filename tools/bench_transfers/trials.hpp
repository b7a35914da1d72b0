// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 does between the iterations: asks for each resize in turn, measures the iterations around it, and
// reports.
//
// In:  the ways to try, the job, the end of each iteration, and what each checkpoint said.
// Out: for each trial two JSON lines on stdout, {"trying": WAY} when it begins and what became of it at its end, so
// that a trial that hangs or kills the program leaves those before it, and its name. One trial: get the job to the size
// before in a fixed way, iterate, ask for the size after in the trial's way, iterate until it is there and a while
// longer. The state travels as a value of the job, because Baseline replaces rank 0 in the middle of a trial.
#pragma once

#include "data.hpp"
#include "way.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nereus/nereus.hpp>
#include <string>
#include <vector>

namespace transfers {

inline constexpr const char *program = "nereus-transfers"; ///< begins what is said on stderr

/// Iterations around a resize. After it the first one touches everything, then come usual ones, then some that touch
/// everything again, which is what the first one is compared with, and one that checks the data.
struct Around {
    int before = 21;
    int usual_after = 11;
    int whole_after = 3;
};

/// Where nobody asks what iterations are like afterwards.
inline constexpr Around brief{.before = 7, .usual_after = 1, .whole_after = 0};

struct Plan {
    int from = 0;
    int to = 0;
    int repeat = 1;
    double iteration_seconds = 0;
    Around around;
    Amount amount;
    bool checks_all = false;
    bool measures_limits = false; ///< instead of trials
    std::vector<Way> ways;

    bool wakes() const { return ways.front().processes.wakes; }
    /// Processes that the job is started with: those to be woken later are parked by a shrink first.
    int founders() const { return wakes() ? std::max(from, to) : from; }
};

/// What all ranks do in an iteration besides its usual work; a sum.
enum Command : std::int64_t { end_now = 1, touch_everything = 2, check_data = 4 };

struct State {
    enum Stage : std::int64_t { preparing, warming, moving, staying, ended };
    static constexpr std::size_t most_loops = 2048; ///< whose times are kept, of those while data moves

    std::int64_t steps = 0;  ///< arithmetic of an iteration
    std::int64_t trial = -1; ///< -1: the one that is not reported
    std::int64_t stage = preparing;
    std::int64_t iterations = 0;            ///< of this stage
    std::uint64_t request = 0;              ///< the one that is waited for; 0: none
    double asked = 0;                       ///< when
    double over = 0;                        ///< when rank 0 saw that it was done
    double loop_before = 0;                 ///< mean seconds from a checkpoint to the next, before the request
    std::int64_t ended_since = 0;           ///< iterations from the request until it was done
    std::int64_t passed = 0;                ///< checkpoints that changed nothing since the request
    std::array<double, most_loops> loops{}; ///< seconds from one of them to the next
};

class Trials {
public:
    Trials(const Plan &plan, nereus::Job &job, State &state) : plan_(plan), job_(job), state_(state) {}

    // All are to be called on rank 0.
    void generation_begun();
    /// `seconds`: how long it took; `wrong`: elements found wrong by a check. @return what the next iteration has to do
    std::int64_t iteration_ended(double seconds, std::int64_t wrong);
    void checkpoint_passed();

    int exit_code() const { return exit_code_; }

private:
    void ask(int ranks, const Way &way);
    void prepare();
    void move();
    std::int64_t stay(double seconds, std::int64_t wrong);
    void look_at_request();
    void not_done(const std::string &why);
    void done(std::int64_t wrong);
    void next_trial();
    void give_up(int exit_code, const std::string &why);
    void enter(State::Stage stage);
    std::vector<double> background_loops(const nereus_resize_report &report) const;
    bool is_first() const { return state_.trial < 0; }
    Way way() const;
    Way way_back() const;

    const Plan &plan_;
    nereus::Job &job_;
    State &state_;
    int exit_code_ = 0;
    double last_passed_ = 0;          ///< 0: this process has passed no checkpoint since something else happened
    std::vector<double> loops_;       ///< of this stage, but while data moves
    std::vector<double> whole_loops_; ///< iterations that touched everything, the first one after the resize first
};

}
