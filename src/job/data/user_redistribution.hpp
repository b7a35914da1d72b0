// SPDX-License-Identifier: BSD-3-Clause
// Data that the application moves by itself: its functions, and their calls in one resize.
//
// No process enters the application's collective work before all have said that they will: there is a vote before it
// (handover.cpp, join.cpp), which a job without such functions does without.
#pragma once

#include "mpi/comm.hpp"
#include "plan/sizes.hpp"

#include <nereus/nereus.h>

#include <string>
#include <vector>

namespace nereus::job {

/// Of this process, in the order in which they are called.
std::vector<std::string> names_of_redistributions();
bool has_redistributions();

/// NEREUS_ERR_MISMATCH names both sides where this newcomer has others than the job.
Done check_redistributions(const std::vector<std::string> &of_job);

/// One process' calls in one resize.
class UserRedistribution {
public:
    /// Collective over both sides.
    ///
    /// @param meeting  of both sides, the sources first; or an inter-communicator between them
    Done meet(MPI_Comm meeting, bool inter, const plan::Sizes &sizes, const plan::Place &place);

    /// Collective over both sides.
    Done move();

    /// Collective: the new data is kept.
    void adopt();

    /// The new data goes. @param alone  others may be dead
    void drop(bool alone);

private:
    int call(nereus_redistribution_step step) const;

    mpi::Comm comm_;
    std::vector<int> drain_ranks_;
    nereus_sides sides_{};
    bool moved_ = false;
};

}
