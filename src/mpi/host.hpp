// SPDX-License-Identifier: BSD-3-Clause
// Names of the hosts that processes run on.
#pragma once

#include "base/error.hpp"

#include <mpi.h>

#include <string>
#include <vector>

namespace nereus::mpi {

/// Collective: MPI_Get_processor_name of each rank.
Result<std::vector<std::string>> hosts_of(MPI_Comm comm);

}
