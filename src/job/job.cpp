// SPDX-License-Identifier: BSD-3-Clause
#include "job/job.hpp"

#include "base/printable.hpp"
#include "base/srun.hpp"
#include "job/arrival.hpp"
#include "job/closing.hpp"
#include "job/data/matrix_rows.hpp"
#include "job/founders.hpp"
#include "job/registering.hpp"
#include "job/resize/costs.hpp"
#include "job/saving/resuming.hpp"
#include "job/state/bounds.hpp"
#include "job/state/monitor_client.hpp"
#include "job/state/report.hpp"
#include "mpi/library.hpp"
#include "mpi/share.hpp"

namespace nereus::job {

Result<std::unique_ptr<Job>> Job::open(MPI_Comm founders, int argc, const char *const *argv, bool &newcomer) {
    auto settings = read_settings(argc, argv);
    if (!settings) return tl::unexpected(settings.error());
    bound_calls(*settings);
    auto job = std::make_unique<Job>();
    job->state_.settings = *settings;
    job->state_.program = process::Program::here(argc, argv);
    auto arrival = take_arrival(*settings);
    if (!arrival) return tl::unexpected(arrival.error());
    newcomer = arrival->has_value();
    auto done = newcomer ? job->arrive(std::move(**arrival)) : job->found(founders);
    if (!done) return tl::unexpected(done.error());
    job->io_.follow_files();
    if (job->state_.settings.balance || job->state_.daemon_client) job->measured_.time_stages();
    return job;
}

Done Job::found(MPI_Comm founders) {
    const double opened_unix = unix_now();
    state_.settings.restarted = take_restarted(state_.settings);
    if (auto done = check_world(state_.settings.founders); !done) return done;
    auto first = generation_of_founders(founders);
    if (!first) return tl::unexpected(first.error());
    Generation &now = state_.generation;
    now = std::move(*first);
    if (auto done = settle_memory(now, state_.settings); !done) return done;
    state_.hosts = read_hosts(state_.settings.hosts).value_or(std::vector<Host>{}); // checked with the settings
    if (auto done = mpi::share_outcome(now.control.get(), 0, take_costs()); !done) return done;
    if (auto done = prepare_epochs(); !done) return done;
    if (auto done = mpi::share_outcome(now.control.get(), 0, open_supervisor()); !done) return done;
    state_.has_supervisor = is_set_at_root(now.control.get(), state_.settings.link);
    if (auto done = mpi::share_outcome(now.control.get(), 0, open_record()); !done) return done;
    state_.has_daemon = is_set_at_root(now.control.get(), state_.settings.controller);
    if (auto done = state_.settings.start_ranks == 0 ? Done{} : make_founders(); !done) return done;
    if (root() && !state_.has_supervisor)
        if (const std::string said = Srun().said(now.control.size()); !said.empty()) print_line("nereus", said);
    tell_monitor(now);
    tell_monitor_iteration(state_.iteration);
    if (!state_.settings.results.empty()) restarted_ ? measured_.begin_generation() : measured_.begin_job();
    if (restarted_)
        ended(arrive_by_restart(state_, *std::exchange(restarted_, std::nullopt), opened_unix));
    else
        open_daemon_client();
    return {};
}

/// Founders that can leave one by one need worlds of their own: all but the first are made here, by a resize of a job
/// that has no data yet and no generation before.
Done Job::make_founders() {
    Generation &now = state_.generation;
    const int wanted = state_.settings.start_ranks;
    if (wanted < now.control.size())
        return failed(NEREUS_ERR_SETTING, "start-ranks = " + std::to_string(wanted) + ": the job was started with " +
                                              std::to_string(now.control.size()) + " processes already");
    if (wanted == now.control.size()) return {};
    nereus_resize_options options = state_.settings.resize;
    options.process_method = NEREUS_MERGE;
    const Done possible = root() ? requests_.check_possible(wanted, options) : Done{};
    if (auto done = mpi::share_outcome(now.control.get(), 0, possible); !done) return done;
    now.number = -1;
    begin_resize({0, wanted, Save::no, 0, options});
    ended(*resize_->begin(true, departure_));
    const nereus_resize_report made = std::exchange(report_, {});
    return made.code == NEREUS_RESIZED ? Done{} : Done(failed(static_cast<nereus_code>(made.code), made.reason));
}

Done Job::arrive(process::Arrival arrival) {
    auto report = join(state_, std::move(arrival));
    if (!report) return tl::unexpected(report.error());
    unpark();
    if (state_.generation.number > 0) report_ = *report;
    state_.sent.generation_begins(state_.iteration);
    // It is committed: a job that cannot reach its supervisor any more goes on without it.
    if (auto done = open_supervisor(); !done) say(done.error().what);
    tell_daemon();
    if (state_.settings.results.empty()) return {};
    if (root()) record_ = Record::continued(state_);
    measured_.begin_generation();
    return {};
}

/// On a rank 0 that has no line to the supervisor yet.
Done Job::open_supervisor() {
    if (!root()) return {};
    auto supervisor = SupervisorClient::open(state_.settings);
    if (!supervisor) return tl::unexpected(supervisor.error());
    state_.supervisor = std::move(*supervisor);
    if (!state_.supervisor) return {};
    state_.supervisor->say_root(state_.generation, state_.root_token);
    state_.supervisor->say_members(state_.generation.number, state_.generation.processes, state_.generation.hosts);
    return {};
}

/// On rank 0. Whoever is rank 0 later gets them from it.
Done Job::take_costs() {
    const std::string &path = state_.settings.costs;
    if (!root() || path.empty()) return {};
    auto costs = costs_of_file(path);
    if (!costs) return tl::unexpected(costs.error());
    if (costs->library == mpi::library())
        state_.costs = std::move(*costs);
    else
        print_line("nereus", "the costs in " + path + " are not used: they were measured with " + costs->library +
                                 ", and this is " + mpi::library());
    return {};
}

/// On rank 0.
Done Job::open_record() {
    if (!root() || state_.settings.results.empty()) return {};
    auto record = Record::of_founders(state_);
    if (!record) return tl::unexpected(record.error());
    record_ = std::move(*record);
    return {};
}

/// Of the founders: where epochs are to go, and the one from which they continue.
Done Job::prepare_epochs() {
    const Done prepared = root() ? prepare_saving(state_.settings) : Done{};
    if (auto done = mpi::share_outcome(state_.generation.control.get(), 0, prepared); !done) return done;
    const Settings &settings = state_.settings;
    const std::string &folder = settings.restarted ? settings.restart_folder : settings.resume;
    if (folder.empty()) return {};
    const MonitoredState resuming(activities::epoch, "resuming");
    auto resumed = resume(state_, folder);
    if (!resumed) return tl::unexpected(resumed.error());
    restarted_ = settings.restarted ? std::move(*resumed) : std::nullopt;
    return {};
}

/// On a rank 0 that has no line to a daemon yet. A job that cannot reach one does without.
void Job::open_daemon_client() {
    if (!root() || state_.settings.controller.empty()) return;
    auto daemon_client = DaemonClient::open(state_.settings, state_.generation, state_.program.words());
    if (daemon_client)
        state_.daemon_client = std::move(*daemon_client);
    else
        print_line("nereus", "the job continues without a daemon: " + daemon_client.error().what);
}

void Job::undo_for_other_data(const std::string &why) {
    if (!resize_ || !resize_->sends_data()) return;
    ended(resize_->cancel({NEREUS_ERR_STATE, why + " meanwhile"}));
}

Result<nereus_code> Job::distribute(const std::string &name, const Result<plan::Shape> &wanted) {
    auto code = data_.distribute(name, wanted);
    if (code == NEREUS_OK) balancing_.begin_anew();
    return code;
}

Result<nereus_code> Job::checkpoint() {
    if (io_.program_is_in_one())
        return failed(NEREUS_ERR_STATE, "nereus_checkpoint: an I/O phase is open: end it with nereus_io_end()");
    check_that_all_is_registered(state_, "nereus_checkpoint()");
    state_.resumed = false;
    io_.leave_files_open();
    measured_.enter_checkpoint();
    const Spent spent = measured_.take_spent();
    if (state_.settings.balance) balancing_.iterated(spent.compute);
    tell_monitor_iteration(++state_.iteration);
    if (state_.daemon_client) state_.daemon_client->passed(state_.iteration, spent);
    const Done pointers = state_.registry.follow_pointers();
    auto code = pass_checkpoint();
    if (leaving()) tell_monitor_end(activities::iteration);
    if (code == NEREUS_RESIZED && measured_.is_on())
        measured_.begin_generation();
    else
        measured_.leave_checkpoint();
    // A resize is rolled back for it on all; where there is none, the others go on.
    if (!pointers && code == NEREUS_GO_ON) return tl::unexpected(pointers.error());
    return code;
}

Result<nereus_code> Job::pass_checkpoint() {
    if (broadcast_.is_quiet()) return NEREUS_GO_ON;
    interval_.enter(now());
    auto code = exchange_announcements();
    interval_.leave(now());
    return code;
}

Result<nereus_code> Job::exchange_announcements() {
    Announcement announcement;
    if (broadcast_.under_way()) {
        auto told = broadcast_.finish();
        if (!told) return tl::unexpected(told.error());
        announcement = *told;
    }
    if (announcement.step != Step::go_on) {
        auto code = act(announcement);
        if (!code || *code != NEREUS_GO_ON) return code;
    } else if (resize_) {
        resize_->go_on();
    }
    if (broadcast_.is_quiet()) return NEREUS_GO_ON;
    auto done = broadcast_.start(state_.generation.control.get(), root() ? next_announcement() : Announcement{});
    if (!done) return tl::unexpected(done.error());
    return NEREUS_GO_ON;
}

Announcement Job::next_announcement() {
    requests_.take_outside();
    saves_.take_outside();
    Announcement announcement;
    if (resize_) {
        announcement.step = resize_->look();
    } else {
        announcement.request = state_.requests.take();
        if (announcement.request.number != 0)
            announcement.step = step_of(announcement.request);
        else if (balancing_.is_due(state_))
            announcement.step = Step::compare;
        else
            announcement.quiet_checkpoints =
                requests_.quiet_checkpoints_before_command(interval_.next_quiet_checkpoints());
    }
    return announcement;
}

Result<nereus_code> Job::act(const Announcement &announced) {
    Announcement announcement = announced;
    if (announcement.step == Step::compare) {
        const auto moves = balancing_.compare(state_);
        if (!moves) return tl::unexpected(moves.error());
        if (!*moves) return NEREUS_GO_ON;
        announcement.step = Step::begin;
        announcement.request = balancing_.request(state_);
    }
    measured_.belongs_to_a_resize();
    interval_ = {};
    if (auto done = broadcast_.settle(); !done) return tl::unexpected(done.error());
    if (announcement.step == Step::save) return save(announcement.request);
    if (announcement.step == Step::restart) return restart(announcement.request);
    if (announcement.step == Step::begin) begin_resize(announcement.request);
    if (!resize_) return NEREUS_GO_ON; // it was rolled back since this was announced
    if (state_.daemon_client) state_.daemon_client->resize_begins();
    if (announcement.step == Step::begin) state_.sent.resize_begins(state_.generation);
    if (announcement.step != Step::roll_back) // this generation may end
        if (auto done = hand_in_measures(); !done) return tl::unexpected(done.error());
    auto over = announcement.step == Step::begin ? resize_->begin(false, departure_)
                                                 : resize_->follow(announcement.step, departure_);
    return over ? ended(*over) : NEREUS_GO_ON;
}

/// A job that stops leaves as a whole: each process closes it, and all together.
Result<nereus_code> Job::save(const Request &request) {
    const bool takes_turn = request.save == Save::and_go_on; // else somebody may be about to end the job
    if (auto done = takes_turn ? io_.begin_saving() : Done{}; !done) return tl::unexpected(done.error());
    const auto saved = [&] {
        const MonitoredState saving(activities::epoch, "saving");
        return save_epoch(state_, destination_of(request));
    }();
    if (auto done = takes_turn ? io_.end_saving() : Done{}; !done) return tl::unexpected(done.error());
    if (measured_.is_on()) record_.epoch_ended(state_, saved, request.save == Save::in_memory);
    message_ = saved ? sentence(*saved) : saved.error().what;
    if (root()) saves_.ended(request, saved);
    if (!saved || request.save != Save::and_stop) return NEREUS_GO_ON;
    leaving_ = Leaving::by_stop;
    return NEREUS_LEAVE;
}

Destination Job::destination_of(const Request &request) {
    const Settings &settings = state_.settings;
    if (request.save != Save::in_memory) return {settings.save};
    if (settings.protect == protect_buddy) return {settings.protect_folder, {}, {}, &constants_};
    const auto keep = [&](std::uint64_t epoch) { return copies_.take(state_, request.number, epoch); };
    return {settings.protect_folder, keep};
}

Result<nereus_code> Job::restart(const Request &request) {
    if (state_.daemon_client) state_.daemon_client->resize_begins();
    state_.sent.resize_begins(state_.generation);
    if (auto done = hand_in_measures(); !done) return tl::unexpected(done.error());
    const auto report = leave_for_restart(state_, request, requests_.hosts_before(request.number));
    if (report.code != NEREUS_RESIZED) return ended(report);
    report_ = report;
    message_ = sentence(report, "");
    if (measured_.is_on()) record_.generation_ended();
    leaving_ = Leaving::by_restart;
    return NEREUS_LEAVE;
}

void Job::begin_resize(const Request &request) {
    resize_ = std::make_unique<Resize>(state_, request);
    requests_.resize_begins();
}

/// Collective: rank 0 gets what all have measured in this generation.
Done Job::hand_in_measures() {
    if (!measured_.is_on()) return {};
    const std::string text = measured_.text();
    auto each = mpi::gather(state_.generation.control.get(), 0, {text.begin(), text.end()});
    if (!each) return tl::unexpected(each.error());
    record_.keep(state_, *each);
    return {};
}

nereus_code Job::ended(const nereus_resize_report &report) {
    report_ = report;
    if (report.code == NEREUS_RESIZED)
        state_.sent.generation_begins(state_.iteration);
    else
        state_.sent.resize_undone(state_.generation);
    if (measured_.is_on()) record_.resize_ended(report);
    message_ = sentence(report_, resize_ ? resize_->why_chosen() : "");
    if (const std::string balanced = balancing_.resize_ended(report_); !balanced.empty()) message_ += "; " + balanced;
    requests_.resize_ended(report_);
    resize_.reset();
    tell_monitor_end(activities::resize);
    tell_daemon();
    if (state_.supervisor) {
        state_.supervisor->say_settled(report_, message_);
        if (report_.code == NEREUS_RESIZED && state_.generation.control)
            state_.supervisor->say_root(state_.generation, "");
    }
    if (report_.code != NEREUS_RESIZED) return NEREUS_GO_ON;
    leaving_ = departure_.fate == plan::Fate::stays ? Leaving::no : Leaving::by_resize;
    if (leaving()) {
        io_.follow_no_files();
        return NEREUS_LEAVE;
    }
    if (report_.request != 0) io_.follow_files(); // founders that others made come here before they have opened the job
    const mpi::Comm &control = state_.generation.control;
    show_numbers(state_.registry, control.size(), control.rank());
    return NEREUS_RESIZED;
}

/// Of the resize that ended last.
void Job::tell_daemon() {
    if (state_.daemon_client) state_.daemon_client->resize_ended(report_, message_, state_.generation);
}

Result<nereus_code> Job::close() {
    if (leaving_ == Leaving::by_resize) {
        state_.registry = {};
        copies_ = {};
        return sleep_until_wanted(std::move(departure_.parked_process)) ? NEREUS_WOKEN : NEREUS_OK;
    }
    io_.close();
    tell_monitor_end(activities::iteration);
    Announcement announced;
    if (broadcast_.under_way()) announced = broadcast_.finish().value_or(Announcement{});
    (void)broadcast_.settle();
    if (resize_) {
        const nereus_resize_report rolled_back = resize_->cancel({NEREUS_ERR_STATE, "the job ended"});
        if (root()) print_line("nereus", rolled_back_at_close(rolled_back));
        ended(rolled_back);
    }
    const bool goes_on = leaving_ == Leaving::by_restart;
    if (root() && !goes_on) requests_.drop_all(announced.request);
    if (!goes_on && hand_in_measures()) record_.job_ended();
    state_.generation.windows.reset();
    state_.parked.release_all();
    io_.follow_no_files();
    if (state_.daemon_client) state_.daemon_client->say_goodbye();
    if (state_.has_supervisor)
        if (auto done = close_together(state_); !done) {
            print_line("nereus", "the job does not end together: " + done.error().what);
            return tl::unexpected(done.error());
        }
    return NEREUS_OK;
}

}
