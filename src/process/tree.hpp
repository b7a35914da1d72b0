// SPDX-License-Identifier: BSD-3-Clause
// Parties of newcomers become one communicator, in O(log parties) rounds.
#pragma once

#include "mpi/comm.hpp"

#include <string>
#include <vector>

namespace nereus::process {

/// Collective over all parties. In round r parties whose numbers differ by 2^r connect and merge, the lower ones first,
/// so that ranks follow the numbers of the parties (Martín-Álvarez et al. 2024, section 4.2: parallel).
///
/// @param party  processes of party `number`; rank 0 has opened ports[number]
Result<mpi::Comm> join_parties(mpi::Comm party, std::size_t number, const std::vector<std::string> &ports);

}
