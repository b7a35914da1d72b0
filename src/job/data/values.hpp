// SPDX-License-Identifier: BSD-3-Clause
// The application's small values, as rank 0 has them at a commit, on their way to the newcomers.
#pragma once

#include "job/data/registry.hpp"

#include <cstdint>
#include <vector>

namespace nereus::job {

inline constexpr std::int64_t most_in_value = std::int64_t{1} << 20; ///< elements

/// The bytes of each value, in the order of the registry.
using Values = std::vector<std::vector<std::uint8_t>>;

Values values_of(const Registry &registry);

/// Cannot fail, since the resize is committed: what is missing or too long is left out.
void take_values(Registry &registry, const Values &values);

}
