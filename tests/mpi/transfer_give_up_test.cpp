// SPDX-License-Identifier: BSD-3-Clause
// A user would lose the job if a transfer that is given up waited for a process that died.
//
// Usage: mpiexec -n 4 transfer_give_up_test METHOD STRATEGY absent|middle
// absent: the last rank never takes part; middle: all stop while data is under way, or while windows are made, each at
// its own time, several times. MPI_Finalize has to end too, and not under a thread that is still in an MPI call.
#include "transfer_case.hpp"

#include "mpi/threads.hpp"

#include <chrono>
#include <thread>

using namespace testing_mpi;
using nereus::Stopwatch;
using nereus::mpi::Comm;

namespace {

constexpr double bounded_seconds = 20; // on a crowded machine

/// MPI may use them until the end.
template <class T> T &kept_for_ever(T thing) { return *new T(std::move(thing)); }

/// Who has nothing to do with the absent one may be done.
void look_for(double seconds, transfer::Sending &sending, int rank) {
    for (const Stopwatch watch; watch.seconds() < seconds;) {
        const auto done = sending.look(1e-3);
        if (done) continue;
        expect(rank != 0 && done.error().code == NEREUS_ERR_STATE, "a look finds no error, but that rank 0 gave up");
        return;
    }
}

/// @param before  seconds between the start and the end
void give_up(const Case &what, bool absent, double before) {
    auto &comm = kept_for_ever(*Comm::duplicate(MPI_COMM_WORLD));
    if (!absent || comm.rank() + 1 < comm.size()) {
        auto &freight = kept_for_ever(Freight(what, what.place_of(comm.rank())));
        transfer::Windows windows;
        transfer::Sending sending(what.method, what.strategy, lane_of(what, comm), freight.array_transfers, what.limits,
                                  windows);
        expect(sending.start().has_value(), "starting waits for nobody");
        if (absent) {
            look_for(before, sending, comm.rank());
        } else {
            std::this_thread::sleep_for(std::chrono::duration<double>(before));
            (void)sending.look(1e-3);
        }
        const Stopwatch watch;
        sending.give_up();
        windows.abandon();
        expect(watch.seconds() < bounded_seconds, "giving up waits for nobody");
        expect(!sending.look(1e-3).has_value(), "what was given up stays so");
    }
    comm.abandon();
}

}

int main(int argc, char **argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    expect(argc == 4, "arguments are METHOD STRATEGY absent|middle");
    Case what;
    what.sizes = {2, 4, false};
    what.method = static_cast<transfer::Method>(std::atoi(argv[1]));
    what.strategy = static_cast<transfer::Strategy>(std::atoi(argv[2]));
    what.arrays = {{Shape::block, 8, 1000003}, {Shape::cyclic, 8, 100003}, {Shape::copies, 3, 50021}};
    if (!nereus::mpi::threads_are_allowed()) skip("the MPI has no MPI_THREAD_MULTIPLE");
    const bool absent = std::string(argv[3]) == "absent";
    if (absent) give_up(what, absent, 0.2);
    for (int round = 0, rank = rank_in(MPI_COMM_WORLD); !absent && round < 10; ++round)
        give_up(what, absent, 2e-4 * (round * (rank + 3) % 7));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
