// SPDX-License-Identifier: BSD-3-Clause
// What another process of the host needs to know to open a segment.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace nereus::memory {

/// Holds as long as process `pid` has its segment open; one with a path, as long as the file has its name.
struct Handle {
    std::string array; ///< for messages
    std::int64_t bytes = 0;
    std::int64_t pid = 0;
    int descriptor = -1;
    std::uint64_t inode = 0, device = 0; ///< tell the file from another, as a process' number may be used anew
    std::string path;                    ///< of a named file; "": it has no name

    bool operator==(const Handle &) const = default;
};

nlohmann::json as_json(const Handle &handle);

/// NEREUS_ERR_MISMATCH where this is no handle.
Result<Handle> handle_from(const nlohmann::json &in);

}
