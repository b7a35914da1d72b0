// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/commit.hpp"

#include "job/resize/costs.hpp"
#include "job/state/checked_json.hpp"
#include "job/state/report.hpp"

#include <stdexcept>

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

json as_json(const Values &values) {
    json list = json::array();
    for (const auto &bytes : values) list.push_back(json::binary(bytes));
    return list;
}

Values values_from(const json &in) {
    Values values;
    for (const json &each : in) values.push_back(each.get_binary());
    return values;
}

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

json as_json(const Commit &commit) {
    return {{"report", as_json(commit.report)},
            {"values", as_json(commit.values)},
            {"iteration", commit.iteration},
            {"io_phases", commit.io_phases},
            {"says_io", commit.says_io},
            {"has_daemon", commit.has_daemon},
            {"has_supervisor", commit.has_supervisor},
            {"next_root", commit.next_root ? as_json(*commit.next_root) : json()}};
}

Commit commit_from(const json &in) {
    Commit commit;
    commit.report = report_from(in.at("report"));
    commit.values = values_from(in.at("values"));
    commit.iteration = whole<std::int64_t>(in, "iteration", 0);
    commit.io_phases = whole<std::int64_t>(in, "io_phases", 0);
    commit.says_io = in.at("says_io");
    commit.has_daemon = in.at("has_daemon");
    commit.has_supervisor = in.at("has_supervisor");
    if (const json &root = in.at("next_root"); !root.is_null()) commit.next_root = next_root_from(root);
    return commit;
}

}
