// SPDX-License-Identifier: BSD-3-Clause
// The record of one process as lines of the file (docs/formats/monitor.md).
#pragma once

#include "record/arena.hpp"

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

/// How the events of a file are written: one line of JSON each, or as a sequence of CBOR items (RFC 8742).
enum class Encoding { json_lines, cbor };

/// An event as it stands in the file, with its end.
inline std::string encoded(const nlohmann::ordered_json &event, Encoding encoding) {
    if (encoding == Encoding::json_lines) return text_of(event) + "\n";
    std::string bytes;
    nlohmann::ordered_json::to_cbor(event, bytes);
    return bytes;
}

/// The line of the process, its totals, its windows, then the lines that it told.
void lines_of(const Arena &arena, const TakeLine &take);

/// Only the line of the process, its job and its totals.
void totals_of(const Arena &arena, const TakeLine &take);

}
