// SPDX-License-Identifier: BSD-3-Clause
#include "job/state/request.hpp"

#include "mpi/waiting.hpp"

#include <nlohmann/json.hpp>

namespace nereus::job {
namespace {

constexpr int most_ahead = 200; // announcements; twice as many are possible

}

Request request_of(int ranks, const nereus_resize_options &options) {
    Request request;
    request.ranks = ranks;
    request.process_method = options.process_method;
    request.transfer_method = options.transfer_method;
    request.transfer_strategy = options.transfer_strategy;
    request.survivors = options.survivors;
    request.process_strategies = options.process_strategies;
    request.placement = options.placement;
    request.release_unit = options.release_unit;
    request.oversubscribe = options.oversubscribe;
    return request;
}

Done Broadcast::start(MPI_Comm comm, const Announcement &announcement) {
    announcement_ = announcement;
    if (++started_ == most_ahead) {
        if (auto done = settle(); !done) return done;
        if (auto done = mpi::check(MPI_Ibarrier(comm, &all_near_), "MPI_Ibarrier"); !done) return done;
    }
    return mpi::check(MPI_Ibcast(&announcement_, sizeof announcement_, MPI_BYTE, 0, comm, &request_), "MPI_Ibcast");
}

Done Broadcast::settle() {
    started_ = 0;
    quiet_checkpoints_ = 0;
    return mpi::complete(all_near_, Deadline::never(), "MPI_Ibarrier");
}

Result<Announcement> Broadcast::finish() {
    // As a rule it is there already. Where it is not, a thread that makes processes may need this core.
    auto done = mpi::complete(request_, Deadline::never(), "MPI_Ibcast");
    if (!done) return tl::unexpected(done.error());
    quiet_checkpoints_ = announcement_.quiet_checkpoints;
    return announcement_;
}

std::uint64_t Requests::add(Request request) {
    request.number = ++last_;
    waiting_.push_back(request);
    return last_;
}

nlohmann::json Requests::as_json() const {
    nlohmann::json waiting = nlohmann::json::array();
    for (const Request &r : waiting_)
        waiting.push_back({r.number, r.ranks, r.process_method, r.transfer_method, r.transfer_strategy, r.survivors,
                           r.process_strategies, r.placement, r.release_unit, r.oversubscribe});
    return {{"last", last_}, {"waiting", waiting}};
}

void Requests::restore(const nlohmann::json &json) {
    last_ = json.at("last");
    for (const auto &r : json.at("waiting"))
        waiting_.push_back(
            {r.at(0), r.at(1), r.at(2), r.at(3), r.at(4), r.at(5), r.at(6), r.at(7), r.at(8), r.at(9), 0});
}

Request Requests::take() {
    if (waiting_.empty()) return {};
    const Request oldest = waiting_.front();
    waiting_.pop_front();
    return oldest;
}

}
