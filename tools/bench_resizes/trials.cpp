// SPDX-License-Identifier: BSD-3-Clause
#include "trials.hpp"

#include "base/methods.hpp"
#include "base/strategies.hpp"
#include "tools/common/lines.hpp"
#include "tools/common/program.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

namespace resizes {
namespace {

constexpr int iterations_before = 11;
constexpr int iterations_after = 5;

/// First line of the MPI's description of itself.
std::string library() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::istringstream words(std::string(text.data(), std::strcspn(text.data(), "\n")));
    std::string line;
    for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
    return line;
}

}

State first_state(const Plan &plan) {
    State state;
    if (plan.wakes()) {
        state.trial = -1;
        state.stage = State::staying;
    }
    return state;
}

void Trials::iteration_ended() {
    note_gap();
    ++state_.iterations;
    if (state_.stage == State::growing)
        look_at_growth();
    else if (state_.stage == State::shrinking)
        look_at_shrink();
    else if (state_.stage == State::warming && state_.iterations > iterations_before)
        grow();
    else if (state_.stage == State::staying && state_.iterations > iterations_after)
        shrink();
}

void Trials::note_gap() {
    const double end = MPI_Wtime();
    const double gap = last_end_ > 0 ? end - last_end_ : 0;
    last_end_ = end;
    if (state_.stage == State::growing) state_.longest_gap = std::max(state_.longest_gap, gap);
    if (state_.stage == State::warming && state_.iterations > 0) gaps_.push_back(gap);
}

void Trials::enter(State::Stage stage) {
    state_.stage = stage;
    state_.iterations = 0;
}

const Combination &Trials::combination() const {
    return plan_.combinations[static_cast<std::size_t>(state_.trial) % plan_.combinations.size()];
}

void Trials::ask(int ranks, const Combination &way) {
    nereus_resize_options options = job_.options();
    options.process_method = way.method;
    options.process_strategies = way.strategies;
    const int code = nereus_resize(job_.get(), ranks, &options, &state_.request);
    if (code < 0) throw nereus::Failure(code, job_.message());
}

void Trials::grow() {
    if (job_.size() != plan_.from)
        return give_up(2, "--from = " + std::to_string(plan_.from) + ": the job has " + std::to_string(job_.size()) +
                              " processes; start it with " + std::to_string(plan_.founders()));
    state_.usual_gap = common::median(gaps_);
    gaps_.clear();
    state_.longest_gap = 0;
    enter(State::growing);
    common::print({{"trying", combination().text}});
    try {
        ask(plan_.to, combination());
    } catch (const nereus::Failure &refused) {
        report_refused(refused.what());
        next_trial();
    }
}

/// An MPI that is restarted may be one that can do nothing else.
Combination Trials::way_back() const { return combination().method == NEREUS_RESTART ? combination() : Combination{}; }

void Trials::shrink() {
    if (job_.size() != plan_.to)
        return give_up(2, "--to = " + std::to_string(plan_.to) + ": the job has " + std::to_string(job_.size()) +
                              " processes; start it with " + std::to_string(plan_.founders()));
    enter(State::shrinking);
    try {
        ask(plan_.from, way_back());
    } catch (const nereus::Failure &refused) {
        give_up(1, std::string("the job cannot shrink back: ") + refused.what());
    }
}

void Trials::look_at_growth() {
    const nereus_resize_report report = job_.last_resize();
    if (report.request != state_.request) return;
    if (report.code != NEREUS_RESIZED) {
        report_refused(common::rolled_back(report));
        return next_trial();
    }
    report_done(report);
    enter(State::staying);
}

void Trials::look_at_shrink() {
    const nereus_resize_report report = job_.last_resize();
    if (report.request != state_.request) return;
    if (report.code != NEREUS_RESIZED) return give_up(1, "the job did not shrink back: " + job_.message());
    next_trial();
}

void Trials::next_trial() {
    ++state_.trial;
    const auto all = plan_.combinations.size() * static_cast<std::size_t>(plan_.repeat);
    enter(static_cast<std::size_t>(state_.trial) < all ? State::warming : State::ended);
}

void Trials::give_up(int exit_code, const std::string &why) {
    common::say(program, why);
    exit_code_ = exit_code;
    enter(State::ended);
}

double Trials::stall(const nereus_resize_report &report) const {
    const double longest = std::max(0.0, state_.longest_gap - state_.usual_gap);
    // The gap at the commit began in a process that is gone.
    return report.process_method == NEREUS_MERGE ? longest : std::max(longest, report.pause_seconds);
}

void Trials::report_refused(const std::string &why) const {
    const Combination &way = combination();
    common::print({{"combination", way.text},
                   {"works", false},
                   {"reason", why},
                   {"from", plan_.from},
                   {"to", plan_.to},
                   {"method", nereus::word_of(nereus::words::process_methods, way.method)},
                   {"strategies", nereus::strategies::list_of(way.strategies)},
                   {"mpi", library()}});
}

void Trials::report_done(const nereus_resize_report &report) const {
    const std::string why = common::complaint(combination(), report);
    common::print({{"combination", combination().text},
                   {"works", why.empty()},
                   {"reason", why},
                   {"from", report.from},
                   {"to", report.to},
                   {"method", nereus::word_of(nereus::words::process_methods, report.process_method)},
                   {"strategies", nereus::strategies::list_of(report.process_strategies)},
                   {"make_seconds", report.process_seconds - report.connect_seconds},
                   {"connect_seconds", report.connect_seconds},
                   {"pause_seconds", report.pause_seconds},
                   {"stall_seconds", stall(report)},
                   {"woken", report.woken},
                   {"mpi", library()}});
}

}
