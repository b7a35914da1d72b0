// SPDX-License-Identifier: BSD-3-Clause
#include "job/handover.hpp"

#include "job/alarm.hpp"
#include "job/both_sides.hpp"
#include "job/next_generation.hpp"
#include "job/report.hpp"
#include "mpi/message.hpp"
#include "plan/survivors.hpp"

#include <algorithm>

namespace nereus::job {
namespace {

using nlohmann::json;

std::int64_t least_bytes(const Registry &registry, const plan::Sizes &sizes) {
    std::vector<plan::Held> arrays;
    for (const Entry &entry : registry.entries())
        if (!entry.is.value)
            arrays.push_back({{entry.is.layout, entry.is.elements, sizes.sources},
                              {entry.is.layout, entry.is.elements, sizes.drains},
                              entry.is.extent});
    return plan::least_moved(arrays, sizes);
}

double bytes_of(const Registry &registry) {
    double bytes = 0;
    for (const Entry &entry : registry.entries()) bytes += static_cast<double>(entry.is.bytes());
    return bytes;
}

/// On rank 0. No broadcast: sources would wait in it for newcomers that died.
Done send_to_newcomers(const process::Meeting &meeting, const mpi::Bytes &bytes) {
    for (int i = 0; i < meeting.newcomers; ++i)
        if (auto done = mpi::post(meeting.comm.get(), meeting.rank_of_newcomer(i), tag_offer, bytes); !done)
            return done;
    return {};
}

/// Collective. Some transports (UCX) map a peer's memory only when its first message is looked at: a process that ends
/// right behind that message takes the receiver along. After the first barrier all earlier messages were looked at; the
/// second one has no first messages.
void let_leavers_go(MPI_Comm sources) {
    for (int round = 0; round < 2; ++round) MPI_Barrier(sources);
}

template <class T>
std::vector<T> followed_by(const std::vector<T> &before, int staying, const std::vector<T> &newcomers) {
    std::vector<T> after(before.begin(), before.begin() + staying);
    after.insert(after.end(), newcomers.begin(), newcomers.end());
    return after;
}

}

Handover::Handover(Members &job, const plan::Sizes &sizes, std::optional<Company> company, News news)
    : job_(job), rank_(job.generation.control.rank()), sizes_(sizes), company_(std::move(company)),
      news_(std::move(news)) {}

void Handover::run(nereus_resize_report &report, double paused, Departure &departure) {
    paused_ = paused;
    Done done = get_ready(report);
    if (done) done = send(report);
    if (done)
        commit(report, departure);
    else
        undo(report, done.error());
}

void Handover::refuse(const std::string &why) {
    if (root()) (void)send_to_newcomers(company_->meeting, pack_undone(why));
    company_->meeting.comm.abandon();
}

plan::Place Handover::place() const { return {rank_, sizes_.drain_of(rank_)}; }

/// Of the next generation: rank 0 knows what the newcomers brought.
Done Handover::share_members() {
    json members;
    if (root()) {
        const Company none{};
        const Company &company = company_ ? *company_ : none;
        members = {{"worlds", followed_by(job_.generation.worlds, sizes_.staying(), company.worlds)},
                   {"hosts", followed_by(job_.generation.hosts, sizes_.staying(), company.hosts)}};
    }
    auto bytes = mpi::share(sources(), 0, root() ? json::to_msgpack(members) : mpi::Bytes{});
    if (!bytes) return tl::unexpected(bytes.error());
    members = json::from_msgpack(*bytes);
    worlds_ = members.at("worlds").get<std::vector<plan::World>>();
    hosts_ = members.at("hosts").get<std::vector<std::string>>();
    return {};
}

Done Handover::offer(const nereus_resize_report &report) {
    if (!company_ || !root()) return {};
    Offer offer;
    offer.generation = job_.generation.number;
    offer.sizes = sizes_;
    offer.transfer_method = report.transfer_method;
    offer.settings = job_.settings;
    offer.worlds = worlds_;
    offer.hosts = hosts_;
    return send_to_newcomers(company_->meeting, pack(offer, job_.registry.entries()));
}

Done Handover::get_ready(const nereus_resize_report &report) {
    if (auto done = share_members(); !done) return done;
    Done mine = offer(report);
    crossing_ = std::make_unique<Crossing>(job_.registry, sizes_, place());
    if (mine) mine = crossing_->allocate();
    const Deadline deadline = Deadline::in(job_.settings.answer_timeout, news_);
    return decide(collect(sources(), meeting(), {mine, {}}, deadline));
}

/// Moves what is registered and takes the vote on it.
Done Handover::send(nereus_resize_report &report) {
    state_ = "sending";
    const Done mine = make_and_move(report);
    const bool moved = mine.has_value();
    if (moved) state_ = "committing";
    const Vote vote{mine, sums_of(*crossing_, moved)};
    const Deadline deadline = Deadline::in(job_.settings.seconds_for(bytes_of(job_.registry)), news_);
    const Verdict verdict = collect(sources(), meeting(), vote, deadline);
    report.constant_bytes = static_cast<std::int64_t>(verdict.sums[0]);
    report.variable_bytes = static_cast<std::int64_t>(verdict.sums[1]);
    if (!moved) crossing_->abandon();
    if (verdict.all && job_.settings.verify) report.verified = 1;
    return verdict.all;
}

Done Handover::make_and_move(nereus_resize_report &report) {
    if (!company_) {
        if (auto done = make_communicators(); !done) return done;
        return move(report, {});
    }
    Alarm alarm(sources(), root(), news_);
    if (auto done = make_communicators(); !done) return done;
    return move(report, alarm.news());
}

Done Handover::move(nereus_resize_report &report, const News &news) {
    const auto lane = lane_of(meeting() ? meeting()->comm.get() : sources(), sizes_, meeting() && meeting()->inter);
    const auto method = static_cast<transfer::Method>(report.transfer_method);
    for (const bool constant : {true, false}) {
        const Stopwatch watch;
        if (auto done = crossing_->move(constant, lane, method, job_.settings, news); !done) return done;
        (constant ? report.constant_seconds : report.variable_seconds) = watch.seconds();
    }
    return job_.settings.verify ? crossing_->verify(lane, job_.settings, news) : Done{};
}

Done Handover::make_communicators() {
    if (sizes_.anew) return {};
    if (!company_) {
        auto shrunk = shrink(job_.generation, sizes_);
        if (!shrunk) return tl::unexpected(shrunk.error());
        next_ = std::move(shrunk->next);
        lot_ = std::move(shrunk->lot);
        return {};
    }
    auto application = application_of(company_->meeting.comm);
    if (!application) return tl::unexpected(application.error());
    next_.application = std::move(*application);
    return {};
}

/// What all say together; a "yes" that is not the last one is told to the newcomers here.
Done Handover::decide(const Verdict &verdict) {
    if (verdict.all && company_ && root()) tell(company_->meeting, company_->meeting.newcomers, {}, nullptr);
    return verdict.all;
}

void Handover::commit(nereus_resize_report &report, Departure &departure) {
    report.code = NEREUS_RESIZED;
    report.bytes_minimum = root() ? least_bytes(job_.registry, sizes_) : 0;
    const auto fates = plan::fates(job_.generation.worlds, sizes_);
    report.left = static_cast<int>(std::count(fates.begin(), fates.end(), plan::Fate::exits));
    report.parked = static_cast<int>(std::count(fates.begin(), fates.end(), plan::Fate::parks));
    share_report(report, {});
    settle_the_parked(fates);
    crossing_->adopt();
    if (report.left > 0) let_leavers_go(sources());
    departure.fate = fates[static_cast<std::size_t>(rank_)];
    if (departure.fate == plan::Fate::parks) departure.bed.emplace(std::move(lot_));
    enter_next_generation();
    if (root()) report.pause_seconds = paused_ + watch_.seconds();
}

/// What became of it, first to the newcomers, whose root may be the next one, then to the other sources.
void Handover::share_report(nereus_resize_report &report, const Done &decision) {
    report.pause_seconds = paused_ + watch_.seconds();
    // A first message to a dead process ends its sender with some transports (UCX). Who was started beside it is ended
    // by who told of the death; the woken, the first newcomers, are not.
    const bool somebody_died = !decision && decision.error().code == NEREUS_ERR_PROCESS;
    if (company_ && root())
        tell(company_->meeting, somebody_died ? report.woken : company_->meeting.newcomers, decision,
             {{"report", as_json(report)}, {"requests", job_.requests.as_json()}, {"host_list", text_of(job_.hosts)}});
    share_with_sources(sources(), report);
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
    if (company_ && !sizes_.anew) next_.control = std::move(company_->meeting.comm);
    if (company_ && company_->meeting.inter) company_->meeting.comm.disconnect();
    next_.number = job_.generation.number + 1;
    next_.worlds = worlds_;
    next_.hosts = hosts_;
    job_.generation = std::move(next_);
}

void Handover::undo(nereus_resize_report &report, const Error &why) {
    report.code = why.code;
    write_into(report.state, state_);
    write_into(report.reason, why.what);
    share_report(report, tl::unexpected(why));
    if (!company_) return;
    company_->meeting.comm.abandon();
    next_.application.abandon();
}

void share_with_sources(MPI_Comm sources, nereus_resize_report &report) {
    int rank = 0;
    MPI_Comm_rank(sources, &rank);
    auto bytes = mpi::share(sources, 0, rank == 0 ? json::to_msgpack(as_json(report)) : mpi::Bytes{});
    if (bytes && rank != 0) report = report_from(json::from_msgpack(*bytes));
}

}
