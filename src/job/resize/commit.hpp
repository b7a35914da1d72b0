// SPDX-License-Identifier: BSD-3-Clause
// What newcomers are told when a resize is committed: how it went, and what the job knows that they need to go on.
#pragma once

#include "job/data/values.hpp"
#include "job/resize/next_root.hpp"

#include <nereus/nereus.h>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>

namespace nereus::job {

struct Commit {
    nereus_resize_report report{};
    Values values;
    std::int64_t iteration = 0;
    std::int64_t io_phases = 0;
    bool says_io = false;
    bool has_daemon = false;
    bool has_supervisor = false;
    std::optional<NextRoot> next_root; ///< where no source goes on
};

nlohmann::json as_json(const Commit &commit);

/// Throws a std::exception where `in` is none.
Commit commit_from(const nlohmann::json &in);

}
