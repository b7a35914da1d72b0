// SPDX-License-Identifier: BSD-3-Clause
// Constant data on its way while the application iterates, as a source sees it.
//
// How all sources learn that they can go on to the commit: each enters a non-blocking barrier when its own part is
// done, or failed; rank 0 looks at each checkpoint whether it is through, and announces it.
#pragma once

#include "base/clock.hpp"
#include "mpi/comm.hpp"
#include "transfer/transfer.hpp"

#include <limits>
#include <memory>

namespace nereus::job {

class Background {
public:
    /// Collective over the sources.
    ///
    /// @param limit  how long it may take
    static Result<std::unique_ptr<Background>> make(MPI_Comm sources, std::unique_ptr<transfer::Sending> sending,
                                                    double limit);

    /// @param news  the same on all: ends this where it has to wait for windows
    void start(const News &news);

    /// At each checkpoint: the application loses a small share of an iteration at most.
    void go_on();

    /// On rank 0: whether each source is done or has failed; or why it takes too long.
    Result<bool> all_done(const News &news);

    /// Collective. Waits for the rest; what became of this process' part.
    Done finish(const Deadline &deadline);

    /// Gives the data up without waiting for anybody.
    void give_up();

    double seconds() const { return watch_.seconds(); }
    std::int64_t iterations() const { return iterations_; }

private:
    Background(mpi::Comm agreement, std::unique_ptr<transfer::Sending> sending, double limit);
    void say_done();

    mpi::Comm agreement_;
    std::unique_ptr<transfer::Sending> sending_;
    MPI_Request all_done_ = MPI_REQUEST_NULL;
    Done mine_;
    bool done_ = false; ///< or failed, and said so
    Stopwatch watch_, since_last_;
    double shortest_iteration_ = std::numeric_limits<double>::infinity();
    double limit_;
    std::int64_t iterations_ = 0;
};

}
