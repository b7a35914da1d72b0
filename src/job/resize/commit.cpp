// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/commit.hpp"

#include "job/state/checked_json.hpp"
#include "job/state/report.hpp"

namespace nereus::job {
namespace {

using nlohmann::json;

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
