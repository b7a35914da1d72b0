// SPDX-License-Identifier: BSD-3-Clause
// A newcomer's way into the job: the other side of handover.cpp.
#include "job/data/array_redistribution.hpp"
#include "job/data/shared_arrays.hpp"
#include "job/data/user_redistribution.hpp"
#include "job/data/values.hpp"
#include "job/resize/costs.hpp"
#include "job/resize/next_generation.hpp"
#include "job/resize/offer.hpp"
#include "job/resize/resize.hpp"
#include "job/resize/source_and_newcomer.hpp"
#include "job/resize/vote.hpp"
#include "job/state/monitor_client.hpp"
#include "job/state/report.hpp"
#include "mpi/message.hpp"

#include <limits>

namespace nereus::job {
namespace {

using nlohmann::json;

Result<Unpacked> receive_offer(const process::Meeting &meeting) {
    auto bytes = mpi::receive(meeting.comm.get(), 0, tag_offer);
    if (!bytes) return tl::unexpected(bytes.error());
    return unpack_offer(*bytes);
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
          arrays_(job.registry, sides_, transfer::Windows(), offer.settings.verify) {}

    /// Memory for what comes; the first vote.
    Done get_ready() {
        auto made = come_to_segments(job_.registry, sides_, offer_.handles, offer_.settings.memory_key);
        Done mine = made ? arrays_.allocate() : Done(tl::unexpected(made.error()));
        if (mine && offer_.sizes.anew && sides_.place.drain == 0) mine = check_link(job_.settings);
        if (mine) mine = check_redistributions(offer_.redistributions);
        auto ready = vote_and_wait(meeting_, {mine, {}, made.value_or(Handles())});
        if (!ready) return tl::unexpected(ready.error());
        // Who cannot come to it votes "no" when there is something to vote on.
        placed_ = come_to_new_segments(job_.registry, sides_, *ready);
        if (placed_) arrays_.place_shared();
        return {};
    }

    bool in_background() const { return offer_.transfer_choice.strategy != NEREUS_BLOCKING && arrays_.has_data(true); }

    /// While the sources' application iterates; the second vote.
    Done take_background() {
        Done mine = placed_;
        auto sending = arrays_.sending(true, lane(), offer_.transfer_choice, offer_.settings);
        if (mine) mine = carried(*sending);
        auto committing = vote_and_wait(meeting_, {mine});
        if (committing && *committing != only_to_close) return follow_swaps(*committing);
        if (committing) {
            arrays_.close_windows();
            committing = wait_for_decision(meeting_);
        }
        sending->give_up();
        arrays_.abandon();
        return tl::unexpected(committing.error());
    }

    /// The last vote. @return rank 0's words at the commit
    Result<json> take_rest() {
        const Done came = take_rest_of_data();
        auto decision = check_and_vote(came);
        if (!came) arrays_.abandon();
        if (!decision) own_data_.drop(true);
        return decision;
    }

    /// Collective over both sides: for what the application moves.
    Done meet_for_own_data() {
        if (!has_own_data()) return {};
        return own_data_.meet(meeting_.comm.get(), meeting_.inter, offer_.sizes, sides_.place);
    }

    void adopt(const json &values) {
        arrays_.adopt();
        own_data_.adopt();
        take_values(job_.registry, values);
    }

private:
    transfer::Lane lane() const { return lane_of(meeting_.comm.get(), offer_.sizes, meeting_.inter); }

    /// Of arrays whose data has not come yet, while the sources' application iterated.
    Done follow_swaps(const json &parts) {
        const auto swapped = parts.get<std::vector<int>>();
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
            arrays_.sending(constant, lane(), {offer_.transfer_choice.method, NEREUS_BLOCKING}, offer_.settings);
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
    Result<json> check_and_vote(const Done &came) {
        Done mine = came;
        if (offer_.settings.verify) {
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

/// A job that cannot reach its daemon any more goes on without it.
void take_over_line(JobState &job, const nlohmann::json &carried) {
    if (carried.is_null()) return;
    auto daemon_client = DaemonClient::open(job.settings, job.generation, job.program.words(), carried);
    if (daemon_client) job.daemon_client = std::move(*daemon_client);
}

}

Result<nereus_resize_report> join(JobState &job, process::Arrival arrival) {
    auto arrived = process::arrive(std::move(arrival));
    if (!arrived) return tl::unexpected(arrived.error());
    process::Meeting &meeting = arrived->meeting;
    auto unpacked = receive_offer(meeting);
    if (!unpacked) return tl::unexpected(unpacked.error());
    const Offer &offer = unpacked->offer;
    job.registry.expect(std::move(unpacked->entries));

    const int drain = offer.sizes.drain_of_newcomer(own_number(meeting));
    Newcomer newcomer(job, offer, meeting, drain);
    if (auto done = newcomer.get_ready(); !done) return tl::unexpected(done.error());
    if (newcomer.in_background())
        if (auto done = newcomer.take_background(); !done) return tl::unexpected(done.error());
    if (auto done = newcomer.meet_for_own_data(); !done) return tl::unexpected(done.error());
    auto next = make_generation(meeting, std::move(arrived->newcomers), offer.sizes, drain);
    if (!next) return tl::unexpected(next.error());
    auto decision = newcomer.take_rest();
    if (!decision) return tl::unexpected(decision.error());

    if (offer.sizes.anew) say_heard(meeting);
    newcomer.adopt(decision->at("values"));
    if (!offer.sizes.anew) settle_control(*next, meeting.comm);
    if (meeting.inter) meeting.comm.disconnect();
    next->number = offer.generation + 1;
    next->worlds = offer.worlds;
    next->hosts = offer.hosts;
    job.generation = std::move(*next);
    tell_monitor(job.generation);
    job.settings.memory = offer.settings.memory;
    job.settings.memory_key = offer.settings.memory_key;
    job.settings.results = offer.settings.results; // all measure, or none
    job.iteration = decision->at("iteration");
    job.io_phases = decision->at("io_phases");
    job.says_io = decision->at("says_io");
    job.has_daemon = decision->at("has_daemon");
    job.has_supervisor = decision->at("has_supervisor");
    if (offer.sizes.anew && job.generation.control.rank() == 0) {
        job.requests.restore(decision->at("requests"));
        job.generation.processes = decision->at("processes").get<std::vector<process::ProcessId>>();
        job.hosts = read_hosts(decision->at("host_list")).value_or(std::vector<Host>{});
        job.root_token = decision->at("root_token");
        take_over_line(job, decision->at("controller"));
        if (auto costs = read_costs(decision->at("costs").get<std::string>())) job.costs = std::move(*costs);
    }
    return report_from(decision->at("report"));
}

}
