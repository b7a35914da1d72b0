// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace nereus::pmpi {

/// Says where another tool's wrappers stand between the program and MPI: nothing where there are none.
std::optional<std::string> other_tool();

}
