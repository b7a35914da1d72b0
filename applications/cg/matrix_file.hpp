// SPDX-License-Identifier: BSD-3-Clause
// Reads the rows of a process from a file of docs/formats/matrix.md.
#pragma once

#include "applications/cg/matrix_source.hpp"

#include <memory>

namespace cg {

/// Looks at the header and at the length of the file; rows are looked at when they are read.
tl::expected<std::unique_ptr<MatrixSource>, std::string> open_matrix(const std::string &path);

}
