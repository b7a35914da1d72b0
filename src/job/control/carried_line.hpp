// SPDX-License-Identifier: BSD-3-Clause
// The line to the daemon of many jobs, on its way from one rank 0 to the next.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace nereus::job {

struct CarriedLine {
    std::string address;
    std::string keys;                                ///< a file; "": none
    std::string name;                                ///< of the job
    std::int64_t iteration = 0;                      ///< the last checkpoint that the daemon may know of
    std::map<std::uint64_t, std::uint64_t> commands; ///< that requests were made of: by the request
    nlohmann::json conversation;                     ///< link::DaemonConnection::as_json()
};

}
