// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/resize.hpp"

#include "base/strategies.hpp"
#include "job/data/consistency.hpp"
#include "job/data/matrix_rows.hpp"
#include "job/resize/rank_reordering.hpp"
#include "job/state/monitor_client.hpp"
#include "job/state/report.hpp"
#include "mpi/bounded_call.hpp"
#include "mpi/share.hpp"

#include <poll.h>

namespace nereus::job {
namespace {

constexpr int nap_milliseconds = 1;
/// Of spawned processes, when the job ends meanwhile.
constexpr double seconds_to_come_up = 10;

template <class Task> bool is_running(const std::future<Task> &task) {
    return task.valid() && task.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

/// On all but rank 0, which says why.
Error unknown() { return {NEREUS_ERR_STATE, "rank 0 gave it up"}; }

}

Resize::Resize(JobState &job, const Request &request)
    : job_(job), request_(request), rank_(job.generation.control.rank()) {
    sizes_ = {job.generation.control.size(), request.ranks, request.options.process_method != NEREUS_MERGE};
    report_ = report_of(request, sizes_.sources);
}

Resize::Ended Resize::begin(bool at_once, Departure &departure) {
    act_ = {};
    const bool changes_parts = sizes_.drains != sizes_.sources || sizes_.anew || request_.balances != 0;
    if (request_.balances == 0) job_.registry.forget_next();
    if (!changes_parts && request_.options.placement != NEREUS_MEASURED) return unchanged();
    tell_monitor_state(activities::resize, "making");
    if (auto done = check_alike(sources(), job_.registry); !done) return rolled_back(done.error());
    auto swaps = agree_on_swaps(sources(), job_.registry, job_.registry.follow_pointers());
    if (!swaps) return rolled_back(swaps.error());
    if (auto done = gather_traffic(); !done) return rolled_back(done.error());
    if (!changes_parts) {
        const auto is_better = is_worth_it();
        if (!is_better) return rolled_back(is_better.error());
        if (!*is_better) return unchanged();
    }
    if (sizes_.newcomers() == 0) return hand_over(std::nullopt, departure);
    if (auto done = choose(); !done) return rolled_back(done.error());
    if (at_once || !in_background()) return after(make_at_once(), departure);
    if (auto done = start_in_background(); !done) return rolled_back(done.error());
    paused_ += act_.seconds();
    return std::nullopt;
}

/// Collective. Before there is a generation, nothing was sent.
Done Resize::gather_traffic() {
    if (request_.options.placement != NEREUS_MEASURED || job_.generation.number < 0) return {};
    return job_.sent.gather(job_.generation);
}

/// Collective: whether ranks get another order where their number stays. On rank 0 the report says why not.
Result<bool> Resize::is_worth_it() {
    if (auto done = cut_nonzeros(sources(), job_.registry, sizes_); !done) return tl::unexpected(done.error());
    int changes = 0;
    if (root()) {
        const Order order = order_by_traffic(sizes_, job_, {});
        write_into(report_, order);
        changes = order.between_hosts < order.usual_between_hosts ? 1 : 0;
    }
    MPI_Bcast(&changes, 1, MPI_INT, 0, sources());
    return changes != 0;
}

/// Collective: who is woken, who is made, how and where.
Done Resize::choose() {
    Result<Newcomers> chosen = root() ? choose_newcomers(job_, request_, sizes_) : Newcomers{};
    auto wanted = share_wanted(sources(), chosen);
    if (!wanted) return tl::unexpected(wanted.error());
    wanted_ = std::move(*wanted);
    report_.process_strategies = wanted_.strategies;
    if (root()) {
        worlds_ = std::move(chosen->worlds);
        for (const process::WokenParty &party : chosen->woken) report_.woken += static_cast<int>(party.worlds.size());
        if (has(strategies::join)) starter_ = job_.supervisor->starter(request_.number);
    }
    if (has(strategies::asynchronous)) {
        auto lane = mpi::Comm::duplicate(sources());
        if (!lane) return tl::unexpected(lane.error());
        lane_ = std::move(*lane);
    }
    making_ = std::make_unique<process::Making>(lane_ ? lane_.get() : sources(), wanted_, job_.program,
                                                std::move(chosen->woken), starter_.get());
    limit_ = limit();
    return {};
}

/// Nobody waits for processes that others start, or that a thread makes.
bool Resize::in_background() const {
    return has(strategies::asynchronous) || has(strategies::join) || wanted_.parties.empty();
}

Deadline Resize::limit() { return Deadline::in(job_.settings.connect_timeout, news()); }

News Resize::news() {
    if (!starter_) return {};
    return [starter = starter_.get()] { return starter->news(); };
}

Resize::Met Resize::make_at_once() {
    Done ready;
    if (making_->collective())
        ready = making_->prepare(*limit_);
    else
        ready = mpi::share_outcome(sources(), 0, root() ? prepare_on_root() : Done{});
    if (!ready) return tl::unexpected(ready.error());
    return connect();
}

Done Resize::prepare_on_root() {
    if (auto done = making_->begin(); !done) return done;
    while (true) {
        auto ready = making_->look();
        if (!ready) return tl::unexpected(ready.error());
        if (*ready) return {};
        if (auto why = limit_->over("starting the newcomers")) return tl::unexpected(*why);
        poll(nullptr, 0, nap_milliseconds);
    }
}

Resize::Met Resize::connect() {
    tell_monitor_state(activities::resize, "connecting");
    auto met = making_->connect(job_.settings.connect_timeout, limit());
    connected_at_ = now();
    return met;
}

Done Resize::start_in_background() {
    if (making_->collective()) {
        meeting_ = std::async(std::launch::async, [this]() -> Met {
            if (auto ready = making_->prepare(*limit_); !ready) return tl::unexpected(ready.error());
            return connect();
        });
        return {};
    }
    if (!root()) return {};
    if (has(strategies::single)) {
        beginning_ = std::async(std::launch::async, [this] { return making_->begin(); });
        return {};
    }
    if (auto done = making_->begin(); !done) failure_ = done.error();
    return {};
}

void Resize::go_on() {
    if (handover_) handover_->go_on();
}

Step Resize::look_at_data() {
    auto sent = handover_->all_sent();
    if (sent) return *sent ? Step::commit : Step::go_on;
    failure_ = sent.error();
    return Step::roll_back;
}

Step Resize::look() {
    if (handover_) return look_at_data();
    if (is_running(beginning_) || is_running(meeting_)) return Step::go_on;
    if (meeting_.valid()) return Step::proceed;
    if (beginning_.valid())
        if (auto begun = beginning_.get(); !begun) failure_ = begun.error();
    if (!failure_) {
        const bool were_up = making_->all_up();
        auto ready = making_->look();
        if (ready && *ready) return Step::connect;
        if (!ready) failure_ = ready.error();
        if (making_->all_up() && !were_up) limit_ = limit(); // they learn what to do only now
    }
    if (!failure_) failure_ = limit_->over("starting the newcomers");
    return failure_ ? Step::roll_back : Step::go_on;
}

Resize::Ended Resize::follow(Step step, Departure &departure) {
    act_ = {};
    if (step == Step::connect && !has(strategies::asynchronous)) return after(connect(), departure);
    if (step == Step::connect) meeting_ = std::async(std::launch::async, [this] { return connect(); });
    if (step == Step::proceed) return after(meeting_.get(), departure);
    if (step == Step::commit) handover_->finish(report_, departure);
    if (step == Step::roll_back && handover_) handover_->give_up(report_, failure_.value_or(unknown()));
    if (handover_) return over();
    if (step == Step::roll_back) return rolled_back(failure_.value_or(unknown()));
    paused_ += act_.seconds();
    return std::nullopt;
}

Resize::Ended Resize::after(Met met, Departure &departure) {
    if (!met) return rolled_back(met.error());
    report_.process_seconds = since_begin_.seconds();
    if (root()) {
        report_.process_seconds -= now() - connected_at_;
        report_.connect_seconds = connected_at_ - making_->up_at();
    }
    return hand_over(std::move(*met), departure);
}

std::unique_ptr<Handover> Resize::handover_to(std::optional<process::Meeting> meeting) {
    if (!meeting) return std::make_unique<Handover>(job_, sizes_, std::nullopt, request_, News{});
    Company company{std::move(*meeting), worlds_, root() ? making_->hosts() : std::vector<std::string>{},
                    root() ? making_->processes() : std::vector<process::ProcessId>{}};
    return std::make_unique<Handover>(job_, sizes_, std::move(company), request_, news());
}

Resize::Ended Resize::hand_over(std::optional<process::Meeting> meeting, Departure &departure) {
    lane_.reset();
    handover_ = handover_to(std::move(meeting));
    if (!handover_->begin(report_, paused_ + act_.seconds(), departure)) return std::nullopt;
    return over();
}

nereus_resize_report Resize::unchanged() {
    report_.code = NEREUS_UNCHANGED;
    share_with_sources(sources(), report_);
    return report_;
}

nereus_resize_report Resize::over() {
    if (root() && report_.code != NEREUS_RESIZED) job_.parked.put_back();
    return report_;
}

nereus_resize_report Resize::rolled_back(const Error &why) {
    tell_monitor_state(activities::resize, "rolling back");
    if (making_) making_->roll_back(why.what);
    lane_.reset();
    if (root()) job_.parked.put_back();
    report_.code = why.code;
    write_into(report_.state, "making");
    write_into(report_.reason, why.what);
    report_.pause_seconds = paused_ + act_.seconds();
    // With Open MPI rank 0 may hang in any call in which the first message comes of a newcomer that was given up.
    std::optional<mpi::BoundedCall> bounded;
    if (root() && has(strategies::join))
        bounded.emplace("MPI_Bcast after a resize was rolled back", 0, mpi::BoundedCall::Death::releases_it);
    share_with_sources(sources(), report_);
    return report_;
}

nereus_resize_report Resize::cancel(const Error &why) {
    if (handover_) {
        handover_->cancel(report_, why);
        return over();
    }
    if (beginning_.valid()) (void)beginning_.get();
    // Where a thread makes the meeting, the making is its own until it ends, and it waits for what it spawned.
    if (root() && making_ && !meeting_.valid()) making_->wait_for_spawned(Deadline::in(seconds_to_come_up));
    std::optional<Met> met;
    if (meeting_.valid()) met = meeting_.get();
    // Newcomers in MPI_Comm_connect hear nothing else; the supervisor ends parties that came from it alone.
    int awaited = root() && !met && !failure_ && making_->awaited() ? 1 : 0;
    MPI_Bcast(&awaited, 1, MPI_INT, 0, sources());
    if (awaited != 0) met = connect();
    if (met && *met) handover_to(std::move(**met))->refuse(why.what);
    return rolled_back(why);
}

}
