// SPDX-License-Identifier: BSD-3-Clause
// Sources and newcomers in one communicator, after all newcomers have said that they are up.
//
// Sources must not wait for newcomers in a call that cannot be given up, and newcomers must learn that they are not
// wanted. So each newcomer sends a word when it is up, the root waits for these with a time limit, and then says "go"
// or "rolled back" to each of them; only then do both sides enter collective calls.
#pragma once

#include "base/clock.hpp"
#include "mpi/comm.hpp"

#include <nereus/resize.h>

namespace nereus::process {

using Method = nereus_process_method;

/// Where the sources and the newcomers of one resize meet.
struct Meeting {
    mpi::Comm comm; ///< all of them: the sources first, or an inter-communicator between both
    bool inter;     ///< comm is an inter-communicator
    int sources;
    int newcomers;

    int rank_of_newcomer(int newcomer) const { return inter ? newcomer : sources + newcomer; }
};

/// Collective over `members`, whose rank 0 is the root.
///
/// @param link       inter-communicator to the newcomers; it is abandoned where they do not come
/// @param newcomers  how many must be on it: others are a release program, which connects in the place of the dead
Result<Meeting> receive_newcomers(MPI_Comm members, mpi::Comm link, Method method, int newcomers,
                                  const Deadline &deadline);

/// Collective over the newcomers. Waits until the root says what is to be done.
///
/// @return NEREUS_ERR_TIMEOUT where the resize was rolled back meanwhile
Result<Meeting> join_sources(mpi::Comm link);

}
