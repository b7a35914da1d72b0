// SPDX-License-Identifier: BSD-3-Clause
// A newcomer's way to the job.
//
//     leader: number of its party  <-  the job, or as it came
//     leader: hello (port, hosts)  ->  the job
//     leader: orders               <-  "rolled_back", "direct", or the ports of all parties and of the job
//     parties join by a tree; the leader of the first says "together"; all connect to the job; the meeting
#pragma once

#include "process/channel.hpp"
#include "process/meeting.hpp"

#include <memory>

namespace nereus::process {

struct Arrival {
    mpi::Comm party;                   ///< all processes of this party
    std::unique_ptr<Line> line;        ///< of its rank 0, the leader, to the job
    mpi::Comm parent;                  ///< of a spawned party: inter-communicator to who spawned it
    std::optional<std::size_t> number; ///< of the party, on its leader; nothing: who spawned it says so on the line
};

struct Arrived {
    Meeting meeting;
    mpi::Comm newcomers; ///< all of this resize
};

/// Collective over the party. Waits as long as the job lives, whose checkpoints may be far apart.
///
/// @return NEREUS_ERR_TIMEOUT and others: the resize was rolled back meanwhile
Result<Arrived> arrive(Arrival arrival);

}
