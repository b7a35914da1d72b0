// SPDX-License-Identifier: BSD-3-Clause
// What processes that are started anew learn of the resize by which they are, and of what the job knew before it.
#pragma once

#include "base/host_list.hpp"
#include "job/resize/commit.hpp"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace nereus::job {

struct RestartRecord {
    nereus_resize_report report{}; ///< but for times, which are known when all have come
    double began_unix = 0;         ///< s, when the last checkpoint of those before was held up
    double saved_unix = 0;         ///< s, when all that they had was saved
    NextRoot root;
    std::vector<Host> hosts_before; ///< the job's list where as many processes come as there were before
};

nlohmann::json as_json(const RestartRecord &record);

/// Throws a std::exception where `in` is none.
RestartRecord restart_record_from(const nlohmann::json &in);

}
