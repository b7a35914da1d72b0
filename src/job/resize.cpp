// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize.hpp"

#include "job/alike.hpp"
#include "job/both_sides.hpp"
#include "job/crossing.hpp"
#include "job/next_generation.hpp"
#include "job/offer.hpp"
#include "job/vote.hpp"
#include "process/spawn.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace nereus::job {
namespace {

std::vector<plan::World> worlds_after(const std::vector<plan::World> &before, const plan::Sizes &sizes) {
    std::vector<plan::World> after(before.begin(), before.begin() + sizes.staying());
    after.resize(static_cast<std::size_t>(sizes.drains), new_world());
    return after;
}

std::int64_t least_bytes(const Registry &registry, const plan::Sizes &sizes) {
    std::int64_t sum = 0;
    for (const Entry &entry : registry.entries())
        if (!entry.is.value) sum += plan::least_moved(entry.is.layout, entry.is.elements, sizes) * entry.is.extent;
    return sum;
}

double bytes_of(const Registry &registry) {
    double bytes = 0;
    for (const Entry &entry : registry.entries()) bytes += static_cast<double>(entry.is.bytes());
    return bytes;
}

/// Collective over the meeting, whose newcomers call mpi::share() with root 0.
Done share_with_newcomers(const process::Meeting &meeting, bool root, mpi::Bytes bytes) {
    const int from = !meeting.inter ? 0 : root ? MPI_ROOT : MPI_PROC_NULL;
    auto shared = mpi::share(meeting.comm.get(), from, std::move(bytes));
    return shared ? Done{} : Done(tl::unexpected(shared.error()));
}

Done balanced(const std::vector<std::uint64_t> &sums, const Registry &registry) {
    for (std::size_t i = 2; i < sums.size(); ++i)
        if (sums[i] != 0)
            return failed(NEREUS_ERR_TRANSFER, "\"" + registry.entries()[i - 2].is.name + "\" arrived changed");
    return {};
}

/// A source's way through one resize.
class Source {
public:
    Source(Members &job, const Request &request)
        : job_(job), rank_(job.generation.control.rank()),
          method_(static_cast<process::Method>(request.process_method)) {
        sizes_ = {job.generation.control.size(), request.ranks, method_ != process::Method::merge};
        report_.request = request.number;
        report_.from = sizes_.sources;
        report_.to = sizes_.drains;
        report_.process_method = static_cast<nereus_process_method>(request.process_method);
        report_.transfer_method = static_cast<nereus_transfer_method>(request.transfer_method);
        report_.verified = job.settings.verify ? 1 : -1;
    }

    nereus_resize_report run(Departure &departure) {
        if (sizes_.drains == sizes_.sources && !sizes_.anew) {
            report_.code = NEREUS_UNCHANGED;
            return report_;
        }
        Done done = make();
        if (done) done = get_ready();
        if (done) done = send();
        if (done)
            commit(departure);
        else
            undo(done.error());
        return report_;
    }

private:
    bool root() const { return rank_ == 0; }
    MPI_Comm sources() const { return job_.generation.control.get(); }
    const process::Meeting *meeting() const { return meeting_ ? &*meeting_ : nullptr; }

    Done make() {
        state_ = "making";
        if (auto done = check_alike(sources(), job_.registry); !done) return done;
        if (sizes_.newcomers() == 0) return {};
        const Stopwatch watch;
        auto link = process::spawn(sources(), job_.program, sizes_.newcomers());
        if (!link) return tl::unexpected(link.error());
        auto met = process::receive_newcomers(sources(), std::move(*link), method_,
                                              Deadline::in(job_.settings.connect_timeout));
        if (!met) return tl::unexpected(met.error());
        meeting_ = std::move(*met);
        report_.process_seconds = watch.seconds();
        return {};
    }

    Done offer() {
        if (!meeting_) return {};
        Offer offer;
        offer.generation = job_.generation.number;
        offer.sizes = sizes_;
        offer.transfer_method = report_.transfer_method;
        offer.settings = job_.settings;
        offer.worlds = worlds_;
        return share_with_newcomers(*meeting_, root(), root() ? pack(offer, job_.registry.entries()) : mpi::Bytes{});
    }

    Done get_ready() {
        state_ = "ready";
        if (auto done = share_worlds(); !done) return done;
        if (auto done = offer(); !done) return done;
        crossing_ = std::make_unique<Crossing>(job_.registry, sizes_, place());
        const Deadline deadline = Deadline::in(job_.settings.answer_timeout);
        return decide(collect(sources(), meeting(), {crossing_->allocate(), {}}, deadline));
    }

    plan::Place place() const {
        plan::Place place{rank_, std::nullopt};
        if (!sizes_.anew && rank_ < sizes_.drains) place.drain = rank_;
        return place;
    }

    /// The new world's name is random: that of rank 0 counts.
    Done share_worlds() {
        worlds_ = worlds_after(job_.generation.worlds, sizes_);
        return mpi::check(MPI_Bcast(worlds_.data(), static_cast<int>(worlds_.size()), MPI_UINT64_T, 0, sources()),
                          "MPI_Bcast");
    }

    Done send() {
        state_ = "sending";
        Done mine = make_communicators();
        const auto lane = lane_of(meeting_ ? meeting_->comm.get() : sources(), sizes_, meeting_ && meeting_->inter);
        const auto method = static_cast<transfer::Method>(report_.transfer_method);
        for (const bool constant : {true, false}) {
            const Stopwatch watch;
            if (mine) mine = crossing_->move(constant, lane, method, job_.settings);
            (constant ? report_.constant_seconds : report_.variable_seconds) = watch.seconds();
        }
        const bool moved = mine.has_value();
        if (moved) state_ = "committing";
        const Vote vote{mine, sums_of(*crossing_, moved, job_.settings.verify, job_.registry)};
        const Deadline deadline = Deadline::in(job_.settings.seconds_for(bytes_of(job_.registry)));
        const Verdict verdict = collect(sources(), meeting(), vote, deadline);
        report_.constant_bytes = static_cast<std::int64_t>(verdict.sums[0]);
        report_.variable_bytes = static_cast<std::int64_t>(verdict.sums[1]);
        if (!moved) crossing_->abandon();
        if (!verdict.all) return verdict.all;
        return job_.settings.verify
                   ? mpi::share_outcome(sources(), 0, root() ? balanced(verdict.sums, job_.registry) : Done{})
                   : Done{};
    }

    Done make_communicators() {
        if (sizes_.anew) return {};
        if (!meeting_) {
            auto shrunk = shrink(job_.generation, sizes_.drains);
            if (!shrunk) return tl::unexpected(shrunk.error());
            next_ = std::move(shrunk->next);
            lot_ = std::move(shrunk->lot);
            return {};
        }
        auto application = application_of(meeting_->comm);
        if (!application) return tl::unexpected(application.error());
        next_.application = std::move(*application);
        return {};
    }

    /// What all say together; a "yes" that is not the last one is told to the newcomers here.
    Done decide(const Verdict &verdict) {
        if (verdict.all && meeting_ && root()) tell(*meeting_, {}, nullptr);
        return verdict.all;
    }

    void commit(Departure &departure) {
        report_.code = NEREUS_RESIZED;
        report_.bytes_minimum = root() ? least_bytes(job_.registry, sizes_) : 0;
        const auto fates = plan::fates(job_.generation.worlds, sizes_.staying());
        report_.left = static_cast<int>(std::count(fates.begin(), fates.end(), plan::Fate::exits));
        report_.parked = static_cast<int>(std::count(fates.begin(), fates.end(), plan::Fate::parks));
        share_report({});
        settle_the_parked(fates);
        crossing_->adopt();
        departure.fate = fates[static_cast<std::size_t>(rank_)];
        if (departure.fate == plan::Fate::parks) departure.lot = std::move(lot_);
        enter_next_generation();
    }

    /// What became of it, first to the newcomers, whose root may be the next one, then to the other sources.
    void share_report(const Done &decision) {
        report_.pause_seconds = watch_.seconds();
        const nlohmann::json json = as_json(report_);
        if (meeting_ && root()) tell(*meeting_, decision, {{"report", json}, {"requests", job_.requests.as_json()}});
        auto bytes = mpi::share(sources(), 0, root() ? nlohmann::json::to_msgpack(json) : mpi::Bytes{});
        if (bytes && !root()) report_ = report_from(nlohmann::json::from_msgpack(*bytes));
    }

    /// Parked processes whose worlds nobody goes on in may end; new ones are remembered.
    void settle_the_parked(const std::vector<plan::Fate> &fates) {
        if (!root()) return;
        job_.parked.release(plan::may_end(job_.parked.worlds(), job_.generation.worlds, sizes_.staying()));
        if (!lot_) return;
        std::vector<plan::World> worlds;
        for (std::size_t rank = 0; rank < fates.size(); ++rank)
            if (fates[rank] == plan::Fate::parks) worlds.push_back(job_.generation.worlds[rank]);
        job_.parked.add(std::move(lot_), std::move(worlds));
    }

    void enter_next_generation() {
        if (meeting_ && !sizes_.anew) next_.control = std::move(meeting_->comm);
        if (meeting_ && meeting_->inter) meeting_->comm.disconnect();
        next_.number = job_.generation.number + 1;
        next_.worlds = worlds_;
        job_.generation = std::move(next_);
        if (root()) report_.pause_seconds = watch_.seconds();
    }

    void undo(const Error &why) {
        report_.code = why.code;
        write_into(report_.state, state_);
        write_into(report_.reason, why.what);
        share_report(tl::unexpected(why));
        if (!meeting_) return;
        meeting_->comm.abandon();
        next_.application.abandon();
    }

    Members &job_;
    int rank_;
    process::Method method_;
    plan::Sizes sizes_{};
    Stopwatch watch_;
    const char *state_ = "asked";
    nereus_resize_report report_{};
    std::optional<process::Meeting> meeting_;
    std::vector<plan::World> worlds_;
    std::unique_ptr<Crossing> crossing_;
    Generation next_;
    mpi::Comm lot_;
};

}

nereus_resize_report resize(Members &job, const Request &request, Departure &departure) {
    return Source(job, request).run(departure);
}

}
