// SPDX-License-Identifier: BSD-3-Clause
// Which MPI this is.
#pragma once

#include <string>

namespace nereus::mpi {

/// First line of MPI_Get_library_version(), with one blank where it has several or a tab: as in a build's mpi.json.
std::string library();

}
