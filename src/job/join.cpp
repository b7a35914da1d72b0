// SPDX-License-Identifier: BSD-3-Clause
// A newcomer's way into the job: the other side of handover.cpp.
#include "job/both_sides.hpp"
#include "job/crossing.hpp"
#include "job/next_generation.hpp"
#include "job/offer.hpp"
#include "job/report.hpp"
#include "job/resize.hpp"
#include "job/vote.hpp"
#include "mpi/message.hpp"

namespace nereus::job {
namespace {

Result<Unpacked> receive_offer(const process::Meeting &meeting) {
    auto bytes = mpi::receive(meeting.comm.get(), 0, tag_offer);
    if (!bytes) return tl::unexpected(bytes.error());
    return unpack_offer(*bytes);
}

int own_number(const process::Meeting &meeting) {
    return meeting.inter ? meeting.comm.rank() : meeting.comm.rank() - meeting.sources;
}

/// Collective over the drains that exist: the members of the next generation.
Result<Generation> make_generation(process::Meeting &meeting, mpi::Comm newcomers, bool anew) {
    if (!anew) {
        auto application = application_of(meeting.comm);
        if (!application) return tl::unexpected(application.error());
        Generation next;
        next.application = std::move(*application);
        return next;
    }
    return generation_of(std::move(newcomers));
}

Done move_all(Crossing &crossing, const transfer::Lane &lane, const Offer &offer) {
    const auto method = static_cast<transfer::Method>(offer.transfer_method);
    if (auto done = crossing.move(true, lane, method, offer.settings, {}); !done) return done;
    if (auto done = crossing.move(false, lane, method, offer.settings, {}); !done) return done;
    return offer.settings.verify ? crossing.verify(lane, offer.settings, {}) : Done{};
}

}

Result<nereus_resize_report> join(Members &job, process::Arrival arrival) {
    auto arrived = process::arrive(std::move(arrival));
    if (!arrived) return tl::unexpected(arrived.error());
    process::Meeting &meeting = arrived->meeting;
    auto unpacked = receive_offer(meeting);
    if (!unpacked) return tl::unexpected(unpacked.error());
    const Offer &offer = unpacked->offer;
    job.registry.expect(std::move(unpacked->entries));

    const plan::Sizes &sizes = offer.sizes;
    const int drain = own_number(meeting) + (sizes.anew ? 0 : sizes.sources);
    Crossing crossing(job.registry, sizes, {std::nullopt, drain});
    auto ready = vote_and_wait(meeting, {crossing.allocate(), {}});
    if (!ready) return tl::unexpected(ready.error());

    auto next = make_generation(meeting, std::move(arrived->newcomers), sizes.anew);
    if (!next) return tl::unexpected(next.error());
    Done mine = move_all(crossing, lane_of(meeting.comm.get(), sizes, meeting.inter), offer);
    auto decision = vote_and_wait(meeting, {mine, sums_of(crossing, mine.has_value())});
    if (!mine) crossing.abandon();
    if (!decision) return tl::unexpected(decision.error());

    crossing.adopt();
    if (!sizes.anew) next->control = std::move(meeting.comm);
    if (meeting.inter) meeting.comm.disconnect();
    next->number = offer.generation + 1;
    next->worlds = offer.worlds;
    next->hosts = offer.hosts;
    job.generation = std::move(*next);
    if (sizes.anew && job.generation.control.rank() == 0) {
        job.requests.restore(decision->at("requests"));
        job.hosts = read_hosts(decision->at("host_list")).value_or(std::vector<Host>{});
    }
    return report_from(decision->at("report"));
}

}
