// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/handover.hpp"

#include "job/data/consistency.hpp"
#include "job/data/values.hpp"
#include "job/resize/costs.hpp"
#include "job/resize/failure_broadcast.hpp"
#include "job/resize/next_generation.hpp"
#include "job/resize/source_and_newcomer.hpp"
#include "job/state/monitor_client.hpp"
#include "job/state/report.hpp"

#include <algorithm>

namespace nereus::job {
namespace {

using nlohmann::json;

/// Collective. Some transports (UCX) map a peer's memory only when its first message is looked at: a process that ends
/// right behind that message takes the receiver along. After the first barrier all earlier messages were looked at; the
/// second one has no first messages.
void barrier_before_exit(MPI_Comm sources) {
    for (int round = 0; round < 2; ++round) MPI_Barrier(sources);
}

/// What a vote on moved data has counted: sums_of() on all processes.
void add_to(nereus_resize_report &report, const std::vector<std::uint64_t> &sums) {
    report.constant_bytes = static_cast<std::int64_t>(sums[0]);
    report.variable_bytes = static_cast<std::int64_t>(sums[1]);
    report.shared_bytes = static_cast<std::int64_t>(sums[2]);
    report.bytes_minimum = static_cast<std::int64_t>(sums[3]);
}

}

Handover::Handover(JobState &job, const plan::Sizes &sizes, std::optional<Company> company, const Request &request,
                   News news)
    : job_(job), rank_(job.generation.control.rank()), sizes_(sizes), company_(std::move(company)), request_(request),
      news_(std::move(news)) {}

void Handover::enter(const char *state) {
    state_ = state;
    tell_monitor_state(activities::resize, state);
}

bool Handover::begin(nereus_resize_report &report, double paused, Departure &departure) {
    enter("ready");
    paused_ = paused;
    Done done = get_ready(report);
    if (done && in_background()) done = start_background();
    if (!done) roll_back(report, done.error());
    if (done && !background_) settle(report, departure);
    paused_ += watch_.seconds();
    return background_ == nullptr;
}

void Handover::finish(nereus_resize_report &report, Departure &departure) {
    watch_ = {};
    if (auto done = finish_background(report); !done) return roll_back(report, done.error());
    auto swaps = agree_on_swaps(sources(), job_.registry, job_.registry.follow_pointers());
    if (!swaps) return roll_back(report, swaps.error());
    background_.reset();
    arrays_->follow_swaps(*swaps);
    Decision decision;
    decision.swaps = *swaps;
    tell_newcomers(decision);
    enter("committing");
    settle(report, departure);
}

void Handover::settle(nereus_resize_report &report, Departure &departure) {
    if (auto done = send(report); !done) return roll_back(report, done.error());
    commit(report, departure);
}

void Handover::cancel(nereus_resize_report &report, const Error &why) {
    watch_ = {};
    // Where nobody has failed, the data comes to its end first, so that nobody reads or writes memory that goes.
    if (finish_background(report)) {
        Decision decision;
        decision.only_to_close = true;
        tell_newcomers(decision);
        part_from_newcomers();
        background_.reset();
    }
    roll_back(report, why);
}

void Handover::give_up(nereus_resize_report &report, const Error &why) {
    watch_ = {};
    roll_back(report, why);
}

bool Handover::in_background() const { return transfer_choice_.strategy != NEREUS_BLOCKING && arrays_->has_data(true); }

transfer::Lane Handover::lane() const {
    return lane_of(meeting() ? meeting()->comm.get() : job_.generation.lane.get(), sizes_,
                   meeting() && meeting()->inter);
}

Done Handover::start_background() {
    enter("sending");
    auto background = Background::make(sources(), arrays_->sending(true, lane(), transfer_choice_, job_.settings),
                                       arrays_->seconds_for(true, job_.settings));
    if (!background) return tl::unexpected(background.error());
    background_ = std::move(*background);
    FailureBroadcast alarm(sources(), root(), news_);
    background_->start(alarm.news());
    return {};
}

Result<bool> Handover::all_sent() { return background_->all_done(news_); }

/// What all have to say of the constant data, newcomers too.
Done Handover::finish_background(nereus_resize_report &report) {
    const double limit = arrays_->seconds_for(true, job_.settings);
    Done mine;
    {
        FailureBroadcast alarm(sources(), root(), news_);
        mine = background_->finish(Deadline::in(limit, alarm.news()));
    }
    report.constant_seconds = background_->seconds();
    report.background_iterations = background_->iterations();
    return collect(sources(), meeting(), {mine}, Deadline::in(limit, news_)).all;
}

/// How long all data may take.
Deadline Handover::limit_of_all(const News &news) const {
    return Deadline::in(arrays_->seconds_for(true, job_.settings) + arrays_->seconds_for(false, job_.settings), news);
}

/// A "yes" to a vote that is not the last one.
void Handover::tell_newcomers(const Decision &decision) {
    if (company_ && root()) tell(company_->meeting, company_->meeting.newcomers, decision);
}

/// Newcomers of a resize that is rolled back do not come to close windows. Sources stay together and keep theirs.
void Handover::part_from_newcomers() {
    if (company_) arrays_->close_windows();
}

/// What all say of the registered data, where something else may still be refused.
Done Handover::agree_that_data_came(const Done &mine) {
    Verdict verdict = collect(sources(), meeting(), {mine}, limit_of_all(news_));
    if (!verdict.all) return verdict.all;
    tell_newcomers({});
    part_from_newcomers();
    return {};
}

/// Moves what is left to move and takes the last vote.
Done Handover::send(nereus_resize_report &report) {
    if (!in_background()) enter("sending");
    Done mine = make_and_move(report);
    const bool moved = mine.has_value();
    if (job_.settings.verify) mine = verify(mine);
    if (has_own_data()) mine = move_own_data(mine);
    if (moved) enter("committing");
    const Stopwatch others;
    const Verdict verdict = collect(sources(), meeting(), {mine, sums_of(*arrays_, moved)}, limit_of_all(news_));
    if (!job_.settings.verify) add_wait_for_others(report, others);
    add_to(report, verdict.sums);
    if (!verdict.all && !data_is_there_) abandon_data();
    if (verdict.all && job_.settings.verify) report.verified = 1;
    return verdict.all;
}

Done Handover::verify(const Done &mine) {
    if (auto all = agree_that_data_came(mine); !all) return all;
    FailureBroadcast alarm(sources(), root(), news_);
    return arrays_->verify(lane(), limit_of_all(alarm.news()));
}

Done Handover::move_own_data(const Done &mine) {
    if (auto all = agree_that_data_came(mine); !all) return all;
    data_is_there_ = true;
    return own_data_.move();
}

Done Handover::make_and_move(nereus_resize_report &report) {
    if (!company_) {
        if (auto done = make_communicators(); !done) return done;
        return move(report, {});
    }
    Done mine;
    Stopwatch others;
    {
        FailureBroadcast alarm(sources(), root(), news_);
        if (auto done = make_communicators(); !done) return done;
        mine = move(report, alarm.news());
        others = {};
    } // where rank 0 waits until all sources have moved theirs
    add_wait_for_others(report, others);
    return mine;
}

/// The data is there when the last process has it.
void Handover::add_wait_for_others(nereus_resize_report &report, const Stopwatch &others) const {
    (arrays_->has_data(false) ? report.variable_seconds : report.constant_seconds) += others.seconds();
}

Done Handover::move(nereus_resize_report &report, const News &news) {
    const Stopwatch watch;
    if (!in_background()) {
        if (auto done = move_one_kind(true, news); !done) return done;
        report.constant_seconds = watch.seconds();
    }
    const Stopwatch variable;
    if (auto done = move_one_kind(false, news); !done) return done;
    report.variable_seconds = variable.seconds();
    return {};
}

Done Handover::move_one_kind(bool constant, const News &news) {
    auto sending = arrays_->sending(constant, lane(), {transfer_choice_.method, NEREUS_BLOCKING}, job_.settings);
    if (auto done = sending->start(); !done) return done;
    return sending->finish(Deadline::in(arrays_->seconds_for(constant, job_.settings), news));
}

Done Handover::make_communicators() {
    if (has_own_data())
        if (auto done =
                own_data_.meet(lane().comm, meeting() && meeting()->inter, sizes_, {rank_, sizes_.drain_of(rank_)});
            !done)
            return done;
    if (sizes_.anew) return {};
    if (!company_) {
        auto shrunk = shrink(job_.generation, sizes_);
        if (!shrunk) return tl::unexpected(shrunk.error());
        next_ = std::move(shrunk->next);
        lot_ = std::move(shrunk->lot);
        return {};
    }
    auto grown = grow(company_->meeting.comm, sizes_, *sizes_.drain_of(rank_));
    if (!grown) return tl::unexpected(grown.error());
    next_ = std::move(*grown);
    return {};
}

void Handover::commit(nereus_resize_report &report, Departure &departure) {
    report.code = NEREUS_RESIZED;
    if (root()) report.bytes_minimum += least_bytes_;
    const auto fates = plan::fates(job_.generation.worlds, sizes_);
    report.left = static_cast<int>(std::count(fates.begin(), fates.end(), plan::Fate::exits));
    report.parked = static_cast<int>(std::count(fates.begin(), fates.end(), plan::Fate::parks));
    share_report(report, {});
    if (sizes_.anew && root()) wait_until_heard(company_->meeting, Deadline::in(job_.settings.answer_timeout, news_));
    settle_the_parked(fates);
    job_.generation.windows.reset(); // they show memory that goes now
    arrays_->adopt();
    own_data_.adopt();
    if (job_.supervisor) job_.supervisor->say_members(job_.generation.number + 1, processes_, hosts_);
    if (report.left > 0) barrier_before_exit(sources());
    departure.fate = fates[static_cast<std::size_t>(rank_)];
    if (departure.fate == plan::Fate::parks) departure.parked_process.emplace(std::move(lot_));
    enter_next_generation();
    if (root()) report.pause_seconds = paused_ + watch_.seconds();
}

/// What became of it, first to the newcomers, whose root may be the next one, then to the other sources.
void Handover::share_report(nereus_resize_report &report, const Done &decision) {
    report.pause_seconds = paused_ + watch_.seconds();
    // A first message to a dead process ends its sender with some transports (UCX). Who was started beside it is ended
    // by who told of the death; the woken, the first newcomers, are not.
    const bool somebody_died = !decision && decision.error().code == NEREUS_ERR_PROCESS;
    if (company_ && root()) {
        Decision told{decision};
        if (decision) told.commit = commit_for_newcomers(report);
        tell(company_->meeting, somebody_died ? report.woken : company_->meeting.newcomers, told);
    }
    share_with_sources(sources(), report);
}

/// On rank 0.
Commit Handover::commit_for_newcomers(const nereus_resize_report &report) {
    Commit commit;
    commit.report = report;
    commit.values = values_of(job_.registry);
    commit.iteration = job_.iteration;
    commit.io_phases = static_cast<std::int64_t>(job_.io_phases);
    commit.says_io = job_.says_io;
    commit.has_daemon = job_.has_daemon;
    commit.has_supervisor = job_.has_supervisor;
    if (sizes_.anew) commit.next_root = next_root();
    return commit;
}

/// On rank 0, which is another process from now on.
NextRoot Handover::next_root() {
    NextRoot next = next_root_of(job_);
    next.processes = processes_;
    if (job_.supervisor) next.token = job_.supervisor->hand_on();
    job_.daemon_client.reset();
    return next;
}

/// Parked processes whose worlds nobody goes on in may end; new ones are remembered.
void Handover::settle_the_parked(const std::vector<plan::Fate> &fates) {
    if (!root()) return;
    job_.parked.keep_the_woken();
    job_.parked.release(plan::may_end(job_.parked.worlds(), job_.generation.worlds, sizes_));
    if (!lot_) return;
    std::vector<plan::World> worlds;
    std::vector<std::string> hosts;
    for (std::size_t rank = 0; rank < fates.size(); ++rank) {
        if (fates[rank] != plan::Fate::parks) continue;
        worlds.push_back(job_.generation.worlds[rank]);
        hosts.push_back(job_.generation.hosts[rank]);
    }
    job_.parked.add(std::move(lot_), std::move(worlds), std::move(hosts));
}

void Handover::enter_next_generation() {
    if (company_ && !sizes_.anew) settle_control(next_, company_->meeting.comm);
    if (company_ && company_->meeting.inter) company_->meeting.comm.disconnect();
    next_.number = job_.generation.number + 1;
    next_.first_world = job_.generation.first_world;
    next_.worlds = worlds_;
    next_.hosts = hosts_;
    next_.processes = processes_;
    job_.generation = std::move(next_);
    tell_monitor(job_.generation);
}

/// On all sources alike: what may be on its way is left to MPI, with what it goes over.
void Handover::abandon_data() {
    arrays_->abandon();
    if (company_) return;
    job_.generation.lane.abandon();
    job_.generation.windows.abandon();
}

void Handover::roll_back(nereus_resize_report &report, const Error &why) {
    tell_monitor_state(activities::resize, "rolling back");
    report.code = why.code;
    write_into(report.state, state_);
    write_into(report.reason, why.what);
    if (background_) {
        background_->give_up();
        abandon_data();
        report.background_iterations = background_->iterations();
    }
    share_report(report, tl::unexpected(why));
    background_.reset();
    own_data_.drop(company_.has_value());
    if (!company_) return;
    company_->meeting.comm.abandon();
    next_.application.abandon();
    next_.control.abandon();
}

void share_with_sources(MPI_Comm sources, nereus_resize_report &report) {
    int rank = 0;
    MPI_Comm_rank(sources, &rank);
    auto bytes = mpi::share(sources, 0, rank == 0 ? json::to_msgpack(as_json(report)) : mpi::Bytes{});
    if (bytes && rank != 0) report = report_from(json::from_msgpack(*bytes));
}

}
