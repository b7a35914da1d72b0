// SPDX-License-Identifier: BSD-3-Clause
#include "application.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <span>
#include <thread>

#include <unistd.h>

#include "agreement.hpp"
#include "random.hpp"

namespace emulator {

namespace {

constexpr double progress_seconds = 0.1; // between two progress lines

// A resize that is awaited when all iterations are done: processes that are made in the background, or by the
// supervisor, take a while, and the library gives up sooner.
constexpr std::chrono::milliseconds between_idle_checkpoints{1};
constexpr int most_idle_checkpoints = 120'000;

std::int64_t new_token() {
    const auto now_bits = static_cast<std::uint64_t>(unix_now() * 1e6);
    return static_cast<std::int64_t>(stream_seed(now_bits, static_cast<std::uint64_t>(::getpid()), 0) >> 1U);
}

std::string file_prefix(std::int64_t token, std::int64_t generation) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "nereus-%016llx-g%lld", static_cast<unsigned long long>(token),
                  static_cast<long long>(generation));
    return text.data();
}

std::string from_outside(const nereus_resize_report &report) {
    return "resized from outside from " + std::to_string(report.from) + " to " + std::to_string(report.to) +
           " processes; the run file says when this job is resized (resizes = scheduled)";
}

} // namespace

Application::Application(const Run &run, std::string results, std::size_t failures_done, nereus_job *job)
    : run_(run), results_path_(std::move(results)), job_(job), failures_(run.failures, failures_done),
      state_(run.stages()), data_(run, job) {}

Result<Ending> Application::run() {
    Result<Ending> ending = Ending::leaving;
    if (auto begun = begin(); begun)
        ending = loop();
    else
        ending = tl::make_unexpected(begun.error());
    generation_.reset(); // its communicators must be free before the job is closed
    return ending;
}

Result<void> Application::begin() {
    const bool is_founder = nereus_generation(job_) == 0;
    const Team all = team_of(nereus_comm(job_));
    if (is_founder) {
        if (all.rank == 0) {
            state_.times.started_unix = unix_now();
            state_.counters.token = new_token();
        }
        MPI_Bcast(&state_.times.started_unix, 1, MPI_DOUBLE, 0, all.comm);
        MPI_Bcast(&state_.counters.token, 1, MPI_INT64_T, 0, all.comm);
    }
    if (const int code = state_.open(job_); code < 0) return library_failure("nereus_value", code);
    if (const int code = data_.open(); code < 0) return library_failure("nereus_array", code);
    clock_.emplace(state_.times.started_unix);
    if (is_founder) return begin_as_founder();
    nereus_resize_report report{};
    if (const int code = nereus_last_resize(job_, &report); code < 0)
        return library_failure("nereus_last_resize", code);
    return report.request == 0 ? begin_again() : after_commit();
}

Result<void> Application::begin_as_founder() {
    if (is_root()) results_ = nereus::LinesFile(results_path_, nereus::LinesFile::Start::anew);
    write(header_event(run_, state_.times.started_unix));
    const Team all = team_of(nereus_comm(job_));
    if (auto agreed = agree(all, results_.trouble(), exit_bad_input); !agreed) return agreed;
    data_.fill();
    state_.times.begun = clock_->seconds();
    MPI_Bcast(&state_.times.begun, 1, MPI_DOUBLE, 0, all.comm);
    if (auto made = make_first_epoch(); !made) return made;
    return start_generation();
}

Result<Ending> Application::loop() {
    while (true) {
        while (is_due())
            if (auto asked = ask(); !asked) return tl::make_unexpected(asked.error());
        const bool is_over = !has_iterations();
        if (is_over && (state_.counters.is_asked == 0 || ++state_.counters.idle > most_idle_checkpoints))
            return finish();
        if (is_over) std::this_thread::sleep_for(between_idle_checkpoints);
        if (auto stepped = step(); !stepped) return tl::make_unexpected(stepped.error());
        const int code = nereus_checkpoint(job_);
        if (code == NEREUS_LEAVE) return Ending::leaving;
        if (auto handled = after_checkpoint(code); !handled) return tl::make_unexpected(handled.error());
    }
}

// From the moment a resize is asked for, any checkpoint may give this rank's place away: times are handed in before it.
// Where others ask, that may be at any moment.
Result<void> Application::step() {
    if (has_iterations()) {
        if (auto failed = fail_if_due(); !failed) return failed;
        if (auto iterated = iterate(); !iterated) return iterated;
    }
    return state_.counters.is_asked != 0 || run_.is_commanded() ? flush() : Result<void>();
}

Result<void> Application::iterate() {
    if (generation_->phase() != static_cast<std::size_t>(state_.counters.phase))
        if (auto entered = enter_phase(); !entered) return entered;
    Result<IterationRecord> record = generation_->iterate();
    if (!record) return tl::make_unexpected(record.error());
    record->group = state_.counters.group;
    record->phase = state_.counters.phase;
    record->iteration = state_.counters.iteration;
    record->start = clock_->at(record->start);
    record->background = state_.counters.is_asked != 0;
    data_.change(state_.counters.iteration);
    advance();
    const double time = clock_->seconds();
    if (results_.is_open() && time - last_progress_ >= progress_seconds) {
        write(progress_event(*record, run_.iterations(), generation_->all().size));
        last_progress_ = time;
    }
    records_.push_back(std::move(*record));
    return {};
}

void Application::advance() {
    Counters &at = state_.counters;
    ++at.iteration;
    ++at.group_iteration;
    if (++at.phase_iteration < run_.phases[static_cast<std::size_t>(at.phase)].iterations) return;
    at.phase_iteration = 0;
    ++at.phase;
}

bool Application::is_due() const {
    const Counters &at = state_.counters;
    return !run_.is_commanded() && at.is_asked == 0 && at.group + 1 < std::ssize(run_.groups) &&
           at.group_iteration >= run_.groups[static_cast<std::size_t>(at.group)].iterations;
}

Result<void> Application::ask() {
    Counters &at = state_.counters;
    const GroupSpec &next = run_.groups[static_cast<std::size_t>(at.group) + 1];
    const Team &all = generation_->all();
    if (next.ranks == all.size) return next_group();
    std::array<std::int64_t, 2> answer{};
    nereus_resize_report refused{};
    if (all.rank == 0) {
        nereus_resize_options options{};
        nereus_resize_options_init(job_, &options);
        options.process_method = next.process_method;
        options.process_strategies = next.process_strategies;
        options.transfer_method = next.transfer_method;
        options.transfer_strategy = next.transfer_strategy;
        options.survivors = next.survivors;
        options.placement = next.placement;
        options.release_unit = next.release_unit;
        std::uint64_t request = 0;
        answer[0] = nereus_resize(job_, next.ranks, &options, &request);
        answer[1] = static_cast<std::int64_t>(request);
        std::snprintf(refused.reason, sizeof refused.reason, "%s", nereus_message(job_));
    }
    MPI_Bcast(answer.data(), 2, MPI_INT64_T, 0, all.comm);
    if (answer[0] < 0) {
        refused.code = static_cast<int>(answer[0]);
        refused.from = all.size;
        refused.to = next.ranks;
        return after_undone(refused);
    }
    if (answer[0] == NEREUS_UNCHANGED) return next_group();
    at.is_asked = 1;
    at.idle = 0;
    at.request = answer[1];
    write(resize_asked_event(at.request, all.size, next.ranks, at.iteration));
    return flush();
}

Result<void> Application::after_checkpoint(int code) {
    if (code == NEREUS_RESIZED) return after_commit();
    if (code < 0) return library_failure("nereus_checkpoint", code);
    if (state_.counters.is_asked == 0 && !run_.is_commanded()) return {};
    nereus_resize_report report{};
    if (const int known = nereus_last_resize(job_, &report); known < 0)
        return library_failure("nereus_last_resize", known);
    if (run_.is_commanded()) note_undone(report);
    return is_own(report) ? after_undone(report) : Result<void>();
}

bool Application::is_own(const nereus_resize_report &report) const {
    return state_.counters.is_asked != 0 && static_cast<std::int64_t>(report.request) == state_.counters.request;
}

// The latest one is told of once; these ranks go on as they are.
void Application::note_undone(const nereus_resize_report &report) {
    const auto request = static_cast<std::int64_t>(report.request);
    if (request == state_.counters.request) return;
    state_.counters.request = request;
    if (report.code < 0) write(resize_undone_event(report));
}

// The last checkpoints before the commit are those with an iteration, then those without.
IterationRange Application::iterations_meanwhile(const nereus_resize_report &report) const {
    const Counters &at = state_.counters;
    return {at.iteration, std::clamp<std::int64_t>(report.background_iterations - at.idle, 0, at.iteration)};
}

// The present rank 0 may have become it by this resize, so it opens the results anew and knows the resize by its
// report.
Result<void> Application::after_commit() {
    nereus_resize_report report{};
    if (const int code = nereus_last_resize(job_, &report); code < 0)
        return library_failure("nereus_last_resize", code);
    if (!run_.is_commanded() && !is_own(report))
        return failure(is_root() ? from_outside(report) : ""); // how it goes on then, the run does not say
    if (run_.is_commanded()) state_.counters.request = static_cast<std::int64_t>(report.request);
    if (!is_root()) results_ = nereus::LinesFile();
    if (is_root() && !results_.is_open()) results_ = nereus::LinesFile(results_path_, nereus::LinesFile::Start::append);
    for (Json &event : committed_events(report, iterations_meanwhile(report))) write(std::move(event));
    generation_.reset();
    return next_group();
}

Result<void> Application::after_undone(const nereus_resize_report &report) {
    write(resize_undone_event(report));
    return next_group();
}

// Also without a commit: after a resize that was rolled back, or a group of the same size, the schedule goes on with
// these ranks. Where resizes are commanded, groups only count the generations.
Result<void> Application::next_group() {
    if (generation_)
        if (auto flushed = flush(); !flushed) return flushed;
    Counters &at = state_.counters;
    ++at.group;
    at.group_iteration = 0;
    at.is_asked = 0;
    return start_generation();
}

Result<void> Application::start_generation() {
    Counters &at = state_.counters;
    generation_.reset();
    const Team all = team_of(nereus_comm(job_));
    at.ranks = all.size;
    const auto spec = run_.is_commanded() ? run_.group_for(all.size) : static_cast<std::size_t>(at.group);
    if (!spec) return failure(all.rank == 0 ? "the run has no group of " + std::to_string(all.size) + " ranks" : "");
    generation_.emplace(run_, *spec, all, file_prefix(at.token, nereus_generation(job_)),
                        run_.is_commanded() ? state_.costs : std::span<const double>());
    if (has_iterations())
        if (auto entered = enter_phase(); !entered) return entered;
    write(generation_started_event(at.group, generation_->hosts().names, state_.times.calibration_seconds));
    return agree(generation_->all(), results_.trouble());
}

Result<void> Application::enter_phase() {
    const double begin = now();
    auto entered = generation_->enter_phase(static_cast<std::size_t>(state_.counters.phase));
    double seconds = now() - begin;
    if (!entered) return entered;
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, generation_->all().comm); // a registered value is the same on all ranks
    state_.times.calibration_seconds += seconds;
    if (run_.is_commanded()) keep_costs();
    report_calibration();
    return {};
}

// Computing costs the same on another number of ranks, and a calibration after each resize would be more than that of
// the application that is emulated: what rank 0 measured first is kept (Proteo 2024, section 4.1).
void Application::keep_costs() {
    const auto phase = static_cast<std::size_t>(state_.counters.phase);
    double *cost = state_.costs.data() + generation_->first_stage(phase);
    const int count = static_cast<int>(run_.phases[phase].stages.size());
    for (int stage = 0; stage < count; ++stage)
        cost[stage] = generation_->plan(static_cast<std::size_t>(stage)).seconds_per_operation;
    MPI_Bcast(cost, count, MPI_DOUBLE, 0, generation_->all().comm);
}

void Application::report_calibration() {
    const auto phase = static_cast<std::size_t>(state_.counters.phase);
    const auto &stages = run_.phases[phase].stages;
    for (std::size_t stage = 0; stage < stages.size(); ++stage)
        if (needs_calibration(stages[stage]))
            write(calibrated_event(state_.counters.group, phase, stage, generation_->plan(stage)));
}

Result<void> Application::flush() {
    for (const IterationRecord &record : gather_records(records_, run_, generation_->all()))
        write(iteration_event(record));
    if (!run_.is_commanded()) // else there would be one for each iteration
        for (const StageTotals &totals : gather_totals(records_, generation_->all())) write(stage_totals_event(totals));
    records_.clear();
    return agree(generation_->all(), results_.trouble());
}

Result<Ending> Application::finish() {
    if (auto flushed = flush(); !flushed) return tl::make_unexpected(flushed.error());
    const double total = clock_->seconds() - state_.times.begun - state_.times.calibration_seconds;
    int is_intact = 1;
    if (run_.verify) {
        is_intact = data_.is_intact(state_.counters.iteration) ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &is_intact, 1, MPI_INT, MPI_MIN, generation_->all().comm);
    }
    write({{"event", "finished"},
           {"iterations", state_.counters.iteration},
           {"total_seconds", total},
           {"calibration_seconds", state_.times.calibration_seconds},
           {"data_intact", run_.verify ? Json(is_intact == 1) : Json(nullptr)}});
    if (auto agreed = agree(generation_->all(), results_.trouble()); !agreed)
        return tl::make_unexpected(agreed.error());
    if (is_intact == 1) return Ending::finished;
    return failure(is_root() ? "the data does not have the content that it should have after these iterations" : "");
}

void Application::write(Json event) {
    if (!results_.is_open()) return;
    Json line{{"event", event["event"]}, {"time", clock_->seconds()}, {"generation", nereus_generation(job_)}};
    line.update(event);
    results_.write(line);
}

tl::unexpected<Failure> Application::library_failure(const char *call, int code) const {
    const std::string sentence = std::string(call) + ": " + nereus_code_name(code) + ": " + nereus_message(job_);
    return tl::make_unexpected(Failure{exit_failure, sentence, true});
}

} // namespace emulator
