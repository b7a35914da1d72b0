// SPDX-License-Identifier: BSD-3-Clause
// A newcomer's way into the job: the other side of handover.cpp.
#include "job/data/array_redistribution.hpp"
#include "job/data/shared_arrays.hpp"
#include "job/data/user_redistribution.hpp"
#include "job/data/values.hpp"
#include "job/resize/next_generation.hpp"
#include "job/resize/offer.hpp"
#include "job/resize/resize.hpp"
#include "job/resize/source_and_newcomer.hpp"
#include "job/resize/vote.hpp"
#include "job/state/bounds.hpp"
#include "job/state/monitor_client.hpp"
#include "mpi/message.hpp"

#include <limits>

namespace nereus::job {
namespace {

Result<Unpacked> receive_offer(const process::Meeting &meeting, const Settings &own) {
    auto bytes = mpi::receive(meeting.comm.get(), 0, tag_offer);
    if (!bytes) return tl::unexpected(bytes.error());
    return unpack_offer(*bytes, own);
}

int own_number(const process::Meeting &meeting) {
    return meeting.inter ? meeting.comm.rank() : meeting.comm.rank() - meeting.sources;
}

/// Collective over the drains that exist: the members of the next generation.
Result<Generation> make_generation(process::Meeting &meeting, mpi::Comm newcomers, const plan::Sizes &sizes,
                                   int drain) {
    if (!sizes.anew) return grow(meeting.comm, sizes, drain);
    if (sizes.newcomers_as.empty()) return generation_of(std::move(newcomers));
    auto ordered = mpi::Comm::split(newcomers.get(), 0, drain);
    if (!ordered) return tl::unexpected(ordered.error());
    return generation_of(std::move(*ordered));
}

/// One newcomer of one resize.
class Newcomer {
public:
    Newcomer(JobState &job, const Offer &offer, const process::Meeting &meeting, int drain)
        : job_(job), offer_(offer), meeting_(meeting),
          sides_{offer.sizes, {std::nullopt, drain}, offer.source_hosts, offer.hosts},
          arrays_(job.registry, sides_, transfer::Windows(), job.settings.verify) {}

    /// Memory for what comes; the first vote.
    Done get_ready() {
        auto made = come_to_segments(job_.registry, sides_, offer_.handles, job_.settings.memory_key);
        Done mine = made ? arrays_.allocate() : Done(tl::unexpected(made.error()));
        if (mine && offer_.sizes.anew && sides_.place.drain == 0) mine = check_link(job_.settings);
        if (mine) mine = check_redistributions(offer_.redistributions);
        auto ready = vote_and_wait(meeting_, {mine, {}, made.value_or(Handles())});
        if (!ready) return tl::unexpected(ready.error());
        // Who cannot come to it votes "no" when there is something to vote on.
        placed_ = come_to_new_segments(job_.registry, sides_, ready->made);
        if (placed_) arrays_.place_shared();
        return {};
    }

    bool in_background() const { return offer_.transfer_choice.strategy != NEREUS_BLOCKING && arrays_.has_data(true); }

    /// While the sources' application iterates; the second vote.
    Done take_background() {
        Done mine = placed_;
        auto sending = arrays_.sending(true, lane(), offer_.transfer_choice, job_.settings);
        if (mine) mine = carried(*sending);
        auto committing = vote_and_wait(meeting_, {mine});
        if (committing && !committing->only_to_close) return follow_swaps(committing->swaps);
        if (committing) {
            arrays_.close_windows();
            committing = wait_for_decision(meeting_);
        }
        sending->give_up();
        arrays_.abandon();
        return tl::unexpected(committing.error());
    }

    /// The last vote.
    Result<Commit> take_rest() {
        const Done came = take_rest_of_data();
        auto commit = check_and_vote(came).and_then(commit_in);
        if (!came) arrays_.abandon();
        if (!commit) own_data_.drop(true);
        return commit;
    }

    /// Collective over both sides: for what the application moves.
    Done meet_for_own_data() {
        if (!has_own_data()) return {};
        return own_data_.meet(meeting_.comm.get(), meeting_.inter, offer_.sizes, sides_.place);
    }

    void adopt(const Values &values) {
        arrays_.adopt();
        own_data_.adopt();
        take_values(job_.registry, values);
    }

private:
    static Result<Commit> commit_in(Decision decision) {
        if (decision.commit) return std::move(*decision.commit);
        return failed(NEREUS_ERR_MISMATCH, "the job commits a resize without the data that newcomers need");
    }

    transfer::Lane lane() const { return lane_of(meeting_.comm.get(), offer_.sizes, meeting_.inter); }

    /// Of arrays whose data has not come yet, while the sources' application iterated.
    Done follow_swaps(const std::vector<int> &swapped) {
        if (auto done = job_.registry.check_swaps(swapped); !done) return done;
        job_.registry.apply_swaps(swapped);
        arrays_.follow_swaps(swapped);
        return {};
    }

    /// The sources may take any time; rank 0 says when they have given up.
    Deadline limit() const {
        return Deadline::in(std::numeric_limits<double>::infinity(), rolled_back_by_root(meeting_));
    }

    Done carried(transfer::Sending &sending) const {
        if (auto done = sending.start(limit()); !done) return done;
        return sending.finish(limit());
    }

    Done take(bool constant) {
        auto sending =
            arrays_.sending(constant, lane(), {offer_.transfer_choice.method, NEREUS_BLOCKING}, job_.settings);
        return carried(*sending);
    }

    Done take_rest_of_data() {
        if (!placed_) return placed_;
        if (!in_background())
            if (auto done = take(true); !done) return done;
        return take(false);
    }

    /// While the first generation is made there is none.
    bool has_own_data() const { return has_redistributions() && offer_.generation >= 0; }

    /// Whether the registered data has come to all; then nobody reads from windows any more.
    Done agree_that_data_came(const Done &mine) {
        auto all = vote_and_wait(meeting_, {mine});
        if (!all) return tl::unexpected(all.error());
        arrays_.close_windows();
        return {};
    }

    /// Checks, and the application's own data.
    Result<Decision> check_and_vote(const Done &came) {
        Done mine = came;
        if (job_.settings.verify) {
            if (auto all = agree_that_data_came(mine); !all) return tl::unexpected(all.error());
            mine = arrays_.verify(lane(), limit());
        }
        if (has_own_data()) {
            if (auto all = agree_that_data_came(mine); !all) return tl::unexpected(all.error());
            mine = own_data_.move();
        }
        return vote_and_wait(meeting_, {mine, sums_of(arrays_, came.has_value())});
    }

    JobState &job_;
    const Offer &offer_;
    const process::Meeting &meeting_;
    Sides sides_;
    ArrayRedistribution arrays_;
    UserRedistribution own_data_;
    Done placed_;
};

}

namespace {

/// On the new rank 0.
void take_over(JobState &job, NextRoot next) {
    job.generation.processes = std::move(next.processes);
    job.root_token = std::move(next.token);
    become_root(job, std::move(next));
}

/// Once this process is one of the new generation.
void go_on_from(JobState &job, Commit commit) {
    job.iteration = commit.iteration;
    job.io_phases = static_cast<std::uint64_t>(commit.io_phases);
    job.says_io = commit.says_io;
    job.has_daemon = commit.has_daemon;
    job.has_supervisor = commit.has_supervisor;
    if (commit.next_root && job.generation.control.rank() == 0) take_over(job, std::move(*commit.next_root));
}

}

Result<nereus_resize_report> join(JobState &job, process::Arrival arrival) {
    const MonitoredState joining(activities::resize, "connecting");
    auto arrived = process::arrive(std::move(arrival));
    if (!arrived) return tl::unexpected(arrived.error());
    process::Meeting &meeting = arrived->meeting;
    auto unpacked = receive_offer(meeting, job.settings);
    if (!unpacked) return tl::unexpected(unpacked.error());
    const Offer &offer = unpacked->offer;
    job.settings = offer.settings;
    bound_calls(job.settings);
    job.registry.expect(std::move(unpacked->entries));

    const int drain = offer.sizes.drain_of_newcomer(own_number(meeting));
    Newcomer newcomer(job, offer, meeting, drain);
    tell_monitor_state(activities::resize, "ready");
    if (auto done = newcomer.get_ready(); !done) return tl::unexpected(done.error());
    tell_monitor_state(activities::resize, "sending");
    if (newcomer.in_background())
        if (auto done = newcomer.take_background(); !done) return tl::unexpected(done.error());
    if (auto done = newcomer.meet_for_own_data(); !done) return tl::unexpected(done.error());
    auto next = make_generation(meeting, std::move(arrived->newcomers), offer.sizes, drain);
    if (!next) return tl::unexpected(next.error());
    auto commit = newcomer.take_rest();
    if (!commit) return tl::unexpected(commit.error());

    tell_monitor_state(activities::resize, "committing");
    if (offer.sizes.anew) say_heard(meeting);
    newcomer.adopt(commit->values);
    if (!offer.sizes.anew) settle_control(*next, meeting.comm);
    if (meeting.inter) meeting.comm.disconnect();
    next->number = offer.generation + 1;
    next->first_world = offer.first_world;
    next->worlds = offer.worlds;
    next->hosts = offer.hosts;
    job.generation = std::move(*next);
    tell_monitor(job.generation);
    const nereus_resize_report report = commit->report;
    go_on_from(job, std::move(*commit));
    tell_monitor_iteration(job.iteration);
    return report;
}

}
