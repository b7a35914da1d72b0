// SPDX-License-Identifier: BSD-3-Clause
// Mappings by Scotch (Pellegrini and Roman, 1996; Debian: libscotch-dev), where the program was built with it.
#pragma once

#include "plan/mapping/problem.hpp"

#include <optional>

namespace nereus::place {

/// Nothing where there is no Scotch, or where it refuses the problem.
std::optional<plan::mapping::Mapping> scotch_mapping(const plan::mapping::Problem &problem);

}
