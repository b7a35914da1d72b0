// SPDX-License-Identifier: BSD-3-Clause
#include "transfer/agreement.hpp"

#include "mpi/check.hpp"
#include "mpi/waiting.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace nereus::transfer {
namespace {

/// Who is asked to give up has the decision soon, unless rank 0, or who passes it on, never came here.
constexpr double seconds_for_decision = 10;

Deadline later(const Deadline &deadline) {
    return Deadline::in(std::numeric_limits<double>::infinity(),
                        [&deadline, over_since = std::optional<Stopwatch>()]() mutable -> std::optional<Error> {
                            auto why = deadline.over("agreeing on windows");
                            if (!why) return std::nullopt;
                            if (!over_since) over_since.emplace();
                            return over_since->seconds() < seconds_for_decision ? std::nullopt : why;
                        });
}

/// With little use of the core, which the application wants. After an error MPI may still read and write.
Done wait_for(MPI_Request &request, const Deadline &deadline) {
    for (int there = 0;;) {
        auto done = mpi::check(MPI_Test(&request, &there, MPI_STATUS_IGNORE), "agreeing on windows");
        if (!done || there != 0) return done;
        if (auto why = deadline.over("agreeing on windows")) return tl::unexpected(*why);
        mpi::rest();
    }
}

/// What MPI reads and writes, and may go on to where it was given up.
struct Agreement {
    std::vector<int> mine, least;
    int all_enter = 0;
    MPI_Request all_are_here = MPI_REQUEST_NULL, decided = MPI_REQUEST_NULL;

    Agreement(MPI_Comm comm, std::vector<int> numbers) : mine(std::move(numbers)), least(mine.size()), comm_(comm) {}

    Done announce() {
        return mpi::check(MPI_Iallreduce(mine.data(), least.data(), static_cast<int>(mine.size()), MPI_INT, MPI_MIN,
                                         comm_, &all_are_here),
                          "MPI_Iallreduce");
    }

    /// On rank 0.
    Done decide(const Deadline &deadline) {
        const Done here = wait_for(all_are_here, deadline);
        all_enter = here ? 1 : 0;
        auto told = broadcast();
        if (told) told = wait_for(decided, here ? Deadline::never() : Deadline::in(seconds_for_decision));
        return here ? told : here;
    }

    /// On the others.
    Done follow(const Deadline &deadline) {
        auto done = broadcast();
        if (done) done = wait_for(decided, later(deadline));
        if (done && all_enter == 0) return failed(NEREUS_ERR_STATE, "the transfer was given up");
        return done ? wait_for(all_are_here, Deadline::never()) : done;
    }

private:
    Done broadcast() { return mpi::check(MPI_Ibcast(&all_enter, 1, MPI_INT, 0, comm_, &decided), "MPI_Ibcast"); }

    MPI_Comm comm_;
};

}

Result<std::vector<int>> agree_to_enter(MPI_Comm comm, std::vector<int> mine, const Deadline &deadline) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    auto agreement = std::make_unique<Agreement>(comm, std::move(mine));
    auto done = agreement->announce();
    if (done) done = rank == 0 ? agreement->decide(deadline) : agreement->follow(deadline);
    if (done) return std::move(agreement->least);
    [[maybe_unused]] const Agreement *left_to_mpi = agreement.release();
    return tl::unexpected(done.error());
}

}
