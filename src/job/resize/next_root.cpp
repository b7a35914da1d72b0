// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/next_root.hpp"

#include "job/resize/costs.hpp"
#include "job/resize/job_state.hpp"
#include "job/state/checked_json.hpp"

#include <stdexcept>
#include <utility>

namespace nereus::job {
namespace {

using nlohmann::json;

template <class T> T or_throw(Result<T> result) {
    if (!result) throw std::invalid_argument(result.error().what);
    return std::move(*result);
}

json as_json(const CarriedLine &line) {
    return {{"address", line.address},     {"keys", line.keys},         {"name", line.name},
            {"iteration", line.iteration}, {"commands", line.commands}, {"conversation", line.conversation}};
}

CarriedLine line_from(const json &in) {
    return {in.at("address"),
            in.at("keys"),
            in.at("name"),
            whole<std::int64_t>(in, "iteration", 0),
            in.at("commands").get<std::map<std::uint64_t, std::uint64_t>>(),
            in.at("conversation")};
}

}

NextRoot next_root_of(JobState &job) {
    NextRoot next;
    next.requests = job.requests;
    next.hosts = job.hosts;
    next.costs = job.costs;
    if (job.daemon_client) next.daemon_line = job.daemon_client->carry();
    return next;
}

void become_root(JobState &job, NextRoot next) {
    job.requests = std::move(next.requests);
    job.hosts = std::move(next.hosts);
    job.costs = std::move(next.costs);
    if (!next.daemon_line) return;
    auto daemon_client = DaemonClient::open(job.settings, job.generation, job.program.words(), next.daemon_line);
    if (daemon_client) job.daemon_client = std::move(*daemon_client);
}

json as_json(const NextRoot &root) {
    return {{"requests", root.requests.as_json()},
            {"processes", root.processes},
            {"hosts", text_of(root.hosts)},
            {"costs", root.costs ? job::as_json(*root.costs).dump() : std::string()},
            {"token", root.token},
            {"daemon_line", root.daemon_line ? as_json(*root.daemon_line) : json()}};
}

NextRoot next_root_from(const json &in) {
    NextRoot root;
    root.requests = or_throw(Requests::from(in.at("requests")));
    root.processes = in.at("processes").get<std::vector<process::ProcessId>>();
    root.hosts = or_throw(read_hosts(in.at("hosts")));
    if (const std::string costs = in.at("costs"); !costs.empty()) root.costs = or_throw(read_costs(costs));
    root.token = in.at("token");
    if (const json &line = in.at("daemon_line"); !line.is_null()) root.daemon_line = line_from(line);
    return root;
}

}
