// SPDX-License-Identifier: BSD-3-Clause
// The record of one process as lines of the file (docs/formats/monitor.md).
#pragma once

#include "monitor/arena.hpp"

#include <functional>
#include <nlohmann/json.hpp>

namespace nereus::monitor {

using TakeLine = std::function<void(const nlohmann::ordered_json &)>;

/// The line of the process, its totals, its windows, then the lines that it told.
void lines_of(const Arena &arena, const TakeLine &take);

/// Only the line of the process and its totals.
void totals_of(const Arena &arena, const TakeLine &take);

}
