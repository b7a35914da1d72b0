// SPDX-License-Identifier: BSD-3-Clause
// The ranks that take part in a stage.
#pragma once

#include <algorithm>

#include <mpi.h>

namespace emulator {

/// A communicator with this process' place in it; MPI_COMM_NULL where this process does not take part.
struct Team {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = -1;
    int size = 0;

    bool takes_part() const { return comm != MPI_COMM_NULL; }
};

inline Team team_of(MPI_Comm comm) {
    Team team{comm, -1, 0};
    if (comm == MPI_COMM_NULL) return team;
    MPI_Comm_rank(comm, &team.rank);
    MPI_Comm_size(comm, &team.size);
    return team;
}

/// The first `ranks` ranks of a team (0: all) as a team of their own. Made collectively; frees its communicator.
class FirstRanks {
public:
    FirstRanks(const Team &all, int ranks) {
        if (ranks == 0 || ranks >= all.size) {
            team_ = all;
            return;
        }
        MPI_Comm_split(all.comm, all.rank < ranks ? 0 : MPI_UNDEFINED, all.rank, &own_);
        team_ = team_of(own_);
    }
    FirstRanks(FirstRanks &&other) noexcept : own_(other.own_), team_(other.team_) { other.own_ = MPI_COMM_NULL; }
    FirstRanks(const FirstRanks &) = delete;
    FirstRanks &operator=(const FirstRanks &) = delete;
    FirstRanks &operator=(FirstRanks &&) = delete;
    ~FirstRanks() {
        if (own_ != MPI_COMM_NULL) MPI_Comm_free(&own_);
    }
    const Team &team() const { return team_; }

private:
    MPI_Comm own_ = MPI_COMM_NULL;
    Team team_;
};

} // namespace emulator
