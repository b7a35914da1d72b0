// SPDX-License-Identifier: BSD-3-Clause
// In place of scotch.cpp where Scotch was not found.
#include "tools/place/scotch.hpp"

namespace nereus::place {

std::optional<plan::mapping::Mapping> scotch_mapping(const plan::mapping::Problem &) { return std::nullopt; }

}
