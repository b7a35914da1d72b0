// SPDX-License-Identifier: BSD-3-Clause
#include "trials.hpp"

#include "tools/common/clock.hpp"
#include "tools/common/lines.hpp"
#include "tools/common/program.hpp"
#include "trial_lines.hpp"
#include "work.hpp"

#include <algorithm>

namespace transfers {

void Trials::generation_begun() {
    last_passed_ = 0;
    loops_.clear();
    look_at_request();
}

std::int64_t Trials::iteration_ended(double seconds, std::int64_t wrong) {
    ++state_.iterations;
    if (state_.stage == State::moving) ++state_.ended_since;
    std::int64_t next = 0;
    if (state_.stage == State::preparing && state_.request == 0)
        prepare();
    else if (state_.stage == State::warming && state_.iterations > plan_.around.before)
        move();
    else if (state_.stage == State::staying)
        next = stay(seconds, wrong);
    return state_.stage == State::ended ? end_now : next;
}

void Trials::checkpoint_passed() {
    const double passed = common::now();
    const double loop = last_passed_ > 0 ? passed - last_passed_ : 0;
    last_passed_ = passed;
    if (state_.stage == State::moving) {
        const auto place = static_cast<std::size_t>(state_.passed++);
        if (place < State::most_loops) state_.loops[place] = loop;
    } else if (loop > 0) {
        loops_.push_back(loop);
    }
    look_at_request();
}

void Trials::enter(State::Stage stage) {
    state_.stage = stage;
    state_.iterations = 0;
    loops_.clear();
}

/// The way to the size before, which is not measured, and of the first trial, which is not reported: memory that the
/// system must get from elsewhere (a virtual machine from its host) takes its time when it is first touched.
Way Trials::way_back() const {
    const common::Combination &processes = plan_.ways.front().processes;
    return {"back", {"back", NEREUS_MERGE, processes.strategies, processes.wakes}, NEREUS_P2P, NEREUS_BLOCKING, false};
}

Way Trials::way() const {
    if (is_first()) return way_back();
    return plan_.ways[static_cast<std::size_t>(state_.trial) % plan_.ways.size()];
}

void Trials::ask(int ranks, const Way &way) {
    nereus_resize_options options = job_.options();
    options.process_method = way.processes.method;
    options.process_strategies = way.processes.strategies;
    options.transfer_method = way.method;
    options.transfer_strategy = way.strategy;
    state_.asked = common::now();
    const int code = nereus_resize(job_.get(), ranks, &options, &state_.request);
    if (code < 0) throw nereus::Failure(code, job_.message());
}

void Trials::prepare() {
    if (job_.generation() == 0 && job_.size() != plan_.founders())
        return give_up(2, "--from = " + std::to_string(plan_.from) + ": the job has " + std::to_string(job_.size()) +
                              " processes; start it with " + std::to_string(plan_.founders()));
    if (job_.size() == plan_.from) return enter(State::warming);
    try {
        ask(plan_.from, way_back());
    } catch (const nereus::Failure &refused) {
        give_up(1, std::string("the job cannot get back to its first size: ") + refused.what());
    }
}

void Trials::move() {
    state_.loop_before = mean(loops_);
    state_.passed = 0;
    state_.ended_since = 0;
    enter(State::moving);
    if (!is_first()) print_trying(way());
    try {
        ask(plan_.to, way());
    } catch (const nereus::Failure &refused) {
        not_done(refused.what());
    }
}

void Trials::look_at_request() {
    if (state_.request == 0) return;
    const nereus_resize_report report = job_.last_resize();
    if (report.request != state_.request) return;
    state_.request = 0;
    const bool is_done = report.code == NEREUS_RESIZED;
    const std::string why = common::rolled_back(report);
    if (state_.stage == State::preparing)
        return is_done ? enter(State::warming) : give_up(1, "the job did not get back to its first size: " + why);
    if (!is_done) return not_done(why);
    state_.over = common::now();
    whole_loops_.clear();
    enter(State::staying);
}

std::int64_t Trials::stay(double seconds, std::int64_t wrong) {
    const auto [before, usual_after, whole_after] = plan_.around;
    const std::int64_t number = state_.iterations;
    const bool was_whole = number == 1 || (number > 1 + usual_after && number <= 1 + usual_after + whole_after);
    if (was_whole) whole_loops_.push_back(seconds);
    if (number <= usual_after) return 0;
    if (number <= usual_after + whole_after) return touch_everything;
    if (number == 1 + usual_after + whole_after) return check_data;
    done(wrong);
    return 0;
}

/// Loops of iterations that the library says were made while constant data moved. The last of these ended in the
/// commit, which is no loop; what was passed before the others began the transfer, and has its pause.
std::vector<double> Trials::background_loops(const nereus_resize_report &report) const {
    const std::int64_t kept = std::min<std::int64_t>(state_.passed, State::most_loops);
    const std::int64_t first = std::max<std::int64_t>(0, state_.passed + 1 - report.background_iterations);
    if (first >= kept) return {};
    std::vector<double> loops(state_.loops.begin() + first, state_.loops.begin() + kept);
    // A loop in which newcomers were made as well is no measure of the transfer.
    if (loops.size() > 1 && loops.front() >= report.process_seconds) loops.erase(loops.begin());
    return loops;
}

void Trials::done(std::int64_t wrong) {
    const nereus_resize_report report = job_.last_resize();
    // Of the loops after the first, whole, iteration those that did the usual work.
    const auto usual = std::min(loops_.size(), static_cast<std::size_t>(plan_.around.usual_after));
    if (is_first()) return next_trial();
    print_done(way(), {.report = report,
                       .before = state_.loop_before,
                       .background = background_loops(report),
                       .after = {loops_.begin(), loops_.begin() + static_cast<std::ptrdiff_t>(usual)},
                       .whole = whole_loops_,
                       .over = state_.over - state_.asked,
                       .ended_since = state_.ended_since,
                       .wrong = wrong});
    next_trial();
}

void Trials::not_done(const std::string &why) {
    if (is_first()) return give_up(1, "the first resize is not done: " + why);
    print_failed(way(), why);
    next_trial();
}

void Trials::next_trial() {
    ++state_.trial;
    state_.request = 0;
    const auto all = static_cast<std::int64_t>(plan_.ways.size()) * plan_.repeat;
    enter(state_.trial < all ? State::preparing : State::ended);
}

void Trials::give_up(int exit_code, const std::string &why) {
    common::say(program, why);
    exit_code_ = exit_code;
    enter(State::ended);
}

}
