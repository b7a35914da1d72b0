// SPDX-License-Identifier: BSD-3-Clause
// What was registered, as JSON: in offers to newcomers, and in epochs.
#pragma once

#include "job/data/registry.hpp"

#include <nlohmann/json_fwd.hpp>

namespace nereus::job {

/// All but `shared`, which each job settles for itself.
nlohmann::json description_as_json(const Description &is);

/// Throws std::exception where `json`, which came from elsewhere, is none.
Description description_from(const nlohmann::json &json);

/// In the library's own memory; a value has room, an array has not yet.
Entry entry_of(Description is);

}
