// SPDX-License-Identifier: BSD-3-Clause
// Parties of newcomers become one communicator, in O(log parties) rounds.
#pragma once

#include "mpi/comm.hpp"

#include <string>
#include <vector>

namespace nereus::process {

/// Place of the port of party `number`: another one than those of the parties that it connects to itself.
int port_place(std::size_t number);

/// Collective over all parties. In round r parties whose numbers differ by 2^r connect and merge, the lower ones first,
/// so that ranks follow the numbers of the parties (Martín-Álvarez et al. 2024, section 4.2: parallel). The higher one
/// accepts: it does so once, so that no port is waited at for two others, who could be taken for one another.
///
/// @param party  processes of party `number`; rank 0 has opened ports[number], at port_place(number)
Result<mpi::Comm> join_parties(mpi::Comm party, std::size_t number, const std::vector<std::string> &ports);

}
