// SPDX-License-Identifier: BSD-3-Clause
// The record of one process as lines of the file (docs/formats/monitor.md).
#pragma once

#include "monitor/arena.hpp"

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace nereus::monitor {

using TakeLine = std::function<void(const nlohmann::ordered_json &)>;

/// As it stands in the file, without its end. What is no UTF-8, as a file's name may be, is replaced: a name must not
/// cost a record.
inline std::string text_of(const nlohmann::ordered_json &line) {
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// The line of the process, its totals, its windows, then the lines that it told.
void lines_of(const Arena &arena, const TakeLine &take);

/// Only the line of the process and its totals.
void totals_of(const Arena &arena, const TakeLine &take);

}
