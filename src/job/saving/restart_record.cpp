// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/restart_record.hpp"

#include "job/state/report.hpp"

#include <stdexcept>

namespace nereus::job {

using nlohmann::json;

json as_json(const RestartRecord &record) {
    return {{"report", as_json(record.report)},
            {"began_unix", record.began_unix},
            {"saved_unix", record.saved_unix},
            {"root", as_json(record.root)},
            {"hosts_before", text_of(record.hosts_before)}};
}

RestartRecord restart_record_from(const json &in) {
    RestartRecord record;
    record.report = report_from(in.at("report"));
    record.began_unix = in.at("began_unix");
    record.saved_unix = in.at("saved_unix");
    record.root = next_root_from(in.at("root"));
    auto hosts = read_hosts(in.at("hosts_before"));
    if (!hosts) throw std::invalid_argument(hosts.error().what);
    record.hosts_before = std::move(*hosts);
    return record;
}

}
