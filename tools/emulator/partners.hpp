// SPDX-License-Identifier: BSD-3-Clause
// With whom the ranks of a team exchange messages (Proteo 2024, section 4.1: all of them across nodes).
#pragma once

#include <vector>

#include "team.hpp"

namespace emulator {

struct Partners {
    int to = 0;
    int from = 0;
};

/// By how many ranks each message goes on, in a circle, where rank r is on node `nodes[r]`: by half the ranks, or as
/// near to it as possible by so many that the fewest messages stay on their node. Every rank sends one and receives
/// one, so nobody waits in a circle. A team of one sends to itself.
int partner_distance(const std::vector<int> &nodes);

/// Those of this process. Collective over the team.
Partners partners_in(const Team &team);

} // namespace emulator
