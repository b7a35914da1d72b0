// SPDX-License-Identifier: BSD-3-Clause
// Rank 0's word that ends the others' waiting for data: it alone may hear that newcomers died.
#pragma once

#include "base/clock.hpp"

#include <mpi.h>

namespace nereus::job {

/// Made and ended by all sources at the same place among their collective calls on `sources`, which has no others
/// between. Rank 0 listens until all others are at the end.
class FailureBroadcast {
public:
    /// Collective. @param news  what rank 0 hears
    FailureBroadcast(MPI_Comm sources, bool root, News news);
    FailureBroadcast(const FailureBroadcast &) = delete;
    FailureBroadcast &operator=(const FailureBroadcast &) = delete;
    ~FailureBroadcast();

    /// To be asked while waiting, as long as this lives: on rank 0 its news, on others whether rank 0 gave up.
    News news() {
        return [this] { return ask(); };
    }

private:
    void listen_for_the_others();
    void start() { MPI_Ibcast(&has_bad_news_, 1, MPI_INT, 0, sources_, &request_); }
    std::optional<Error> ask();

    MPI_Comm sources_;
    bool root_;
    News hear_;
    std::optional<Error> heard_;
    int has_bad_news_ = 0; ///< rank 0's; 1: it has
    MPI_Request request_ = MPI_REQUEST_NULL;
};

}
