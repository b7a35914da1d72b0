// SPDX-License-Identifier: BSD-3-Clause
// Reads what ranks send each other from a file of docs/formats/matrix.md.
#pragma once

#include "base/error.hpp"
#include "plan/mapping/traffic.hpp"

#include <string>

namespace nereus::place {

/// NEREUS_ERR_ARGUMENT: the file cannot be read, is not such a file, is not square, or has a value that is not a number
/// of bytes.
Result<plan::mapping::Traffic> read_traffic(const std::string &file);

}
