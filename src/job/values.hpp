// SPDX-License-Identifier: BSD-3-Clause
// The application's small values, as rank 0 has them at a commit, on their way to the newcomers.
#pragma once

#include "job/registry.hpp"

#include <nlohmann/json.hpp>

namespace nereus::job {

/// The bytes of each value, in the order of the registry.
nlohmann::json values_of(const Registry &registry);

/// Cannot fail, since the resize is committed: what is missing or too long is left out.
void take_values(Registry &registry, const nlohmann::json &values);

}
