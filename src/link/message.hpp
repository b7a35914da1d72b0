// SPDX-License-Identifier: BSD-3-Clause
// The frames of the link: docs/formats/link.md. Pure functions; what comes in is anybody's bytes.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace nereus::link {

constexpr int version = 1;
constexpr std::size_t longest_frame = std::size_t{1} << 20;
/// Deeper values are no messages of ours, and copying them would take stack for each level.
constexpr int deepest_nesting = 32;

/// The message in `frame`; nothing when it cannot be read, has another version or job, or has no kind.
std::optional<nlohmann::json> read_frame(std::string_view frame, const std::string &job);

/// The frame of `message`, an object, with version and job put in. An error when it would be too long.
Result<std::string> written_frame(nlohmann::json message, const std::string &job);

}
