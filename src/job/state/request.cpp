// SPDX-License-Identifier: BSD-3-Clause
#include "job/state/request.hpp"

#include "base/resize_options.hpp"
#include "base/strategies.hpp"
#include "job/state/checked_json.hpp"
#include "mpi/waiting.hpp"

#include <cstddef>
#include <type_traits>

namespace nereus::job {
namespace {

using nlohmann::json;

constexpr int most_ahead = 200; // announcements; twice as many are possible

/// Without a resize's own hosts, which rank 0 has put into the job's list: at each checkpoint they would be most of
/// what is sent, and look like the application's traffic where ranks are placed by it.
constexpr std::size_t announced_bytes =
    offsetof(Announcement, request) + offsetof(Request, options) + offsetof(nereus_resize_options, hosts);
static_assert(std::is_standard_layout_v<Announcement>);

json of_request(const Request &request) {
    json out{{"number", request.number}, {"ranks", request.ranks}, {"save", static_cast<int>(request.save)}};
    for (const ResizeOption &option : resize_options) out[option.name] = option.get(request.options);
    return out;
}

std::uint64_t number_from(const json &in, const char *key, std::int64_t least) {
    return static_cast<std::uint64_t>(whole(in, key, least));
}

Request request_from(const json &in) {
    Request request;
    request.number = number_from(in, "number", 1);
    request.save = static_cast<Save>(whole(in, "save", int{}, static_cast<int>(Save::and_restart)));
    request.ranks = whole(in, "ranks", is_resize(request) ? 1 : 0, INT32_MAX);
    for (const ResizeOption &option : resize_options) {
        const int most = option.is_sum ? INT32_MAX : static_cast<int>(option.words->size()) - 1;
        option.set(request.options, whole(in, option.name.c_str(), 0, most));
    }
    if (auto done = strategies::check(request.options.process_strategies); !done)
        throw std::out_of_range(done.error().what);
    return request;
}

}

Done Broadcast::start(MPI_Comm comm, const Announcement &announcement) {
    announcement_ = announcement;
    if (++started_ == most_ahead) {
        if (auto done = settle(); !done) return done;
        if (auto done = mpi::check(MPI_Ibarrier(comm, &all_near_), "MPI_Ibarrier"); !done) return done;
    }
    return mpi::check(MPI_Ibcast(&announcement_, announced_bytes, MPI_BYTE, 0, comm, &request_), "MPI_Ibcast");
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

json Requests::as_json() const {
    json waiting = json::array();
    for (const Request &request : waiting_) waiting.push_back(of_request(request));
    return {{"last", last_}, {"waiting", waiting}};
}

Result<Requests> Requests::from(const json &in) try {
    Requests requests;
    requests.last_ = number_from(in, "last", 0);
    for (const json &each : in.at("waiting")) {
        requests.waiting_.push_back(request_from(each));
        if (requests.waiting_.back().number > requests.last_) throw std::out_of_range("a number behind the last");
    }
    return requests;
} catch (const std::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("requests that wait cannot be read: ") + problem.what());
}

Request Requests::take() {
    if (waiting_.empty()) return {};
    const Request oldest = waiting_.front();
    waiting_.pop_front();
    return oldest;
}

}
