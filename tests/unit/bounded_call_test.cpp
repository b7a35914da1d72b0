// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: the end, with a reason, of a job that waits in MPI for a process that is dead.
#include "mpi/bounded_call.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;
using nereus::mpi::BoundedCall;
using nereus::mpi::Bounds;

namespace {

constexpr auto for_ever = 60s;

void bound_by(double seconds) { nereus::mpi::bound_calls(Bounds{.answer = seconds, .start = seconds}); }

nereus::Error somebody_died() { return {NEREUS_ERR_PROCESS, "new processes ended: by signal 9"}; }

/// @return what waitpid() says of a child that was stopped in the call for `stopped`
template <class Call> int status_after_a_stop(std::chrono::milliseconds stopped, const Call &call) {
    const pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        call();
        std::_Exit(EXIT_SUCCESS);
    }
    int status = 0;
    waitpid(child, &status, WUNTRACED);
    kill(child, SIGCONT);
    std::this_thread::sleep_for(200ms); // it is in the call now, as a rule
    kill(child, SIGSTOP);
    std::this_thread::sleep_for(stopped);
    kill(child, SIGCONT);
    waitpid(child, &status, 0);
    return status;
}

}

TEST(BoundedCall, LeavesCallsAloneThatReturnInTime) {
    bound_by(30);
    for (int call = 0; call < 3; ++call) const BoundedCall bounded("MPI_Win_create");
    const BoundedCall longer("MPI_Win_create", 1e6);
}

TEST(BoundedCall, WithoutBoundsTakesAnyTime) {
    nereus::mpi::bound_calls(Bounds{});
    const BoundedCall bounded("MPI_Win_create");
    std::this_thread::sleep_for(300ms);
}

TEST(BoundedCallDeathTest, EndsTheJobThatCannotGoOnAndSaysInWhichCall) {
    const auto hang = [] {
        bound_by(0.2);
        const BoundedCall bounded("MPI_Win_create");
        std::this_thread::sleep_for(for_ever);
    };
    EXPECT_EXIT(hang(), testing::ExitedWithCode(1),
                "^nereus: MPI_Win_create did not return within 0.2 s: a process of this resize is dead or stopped, and "
                "the call cannot be left: the job ends\n$");
}

TEST(BoundedCallDeathTest, DoesNotWaitForTheWholeBoundOnceADeathIsHeardOf) {
    const auto hang = [] {
        bound_by(0.3);
        const nereus::mpi::Hearing hearing([] { return somebody_died(); });
        const BoundedCall bounded("MPI_Win_free", 1e6);
        std::this_thread::sleep_for(for_ever);
    };
    EXPECT_EXIT(hang(), testing::ExitedWithCode(1), "MPI_Win_free did not return .*: new processes ended: by signal 9");
}

TEST(BoundedCallDeathTest, EndsAlsoCallsThatMayTakeAnyTimeOnceADeathIsHeardOf) {
    const auto hang = [] {
        bound_by(0.3);
        const nereus::mpi::Hearing hearing([] { return somebody_died(); });
        const BoundedCall bounded("a function", BoundedCall::any_time);
        std::this_thread::sleep_for(for_ever);
    };
    EXPECT_EXIT(hang(), testing::ExitedWithCode(1), "a function did not return .*: new processes ended: by signal 9");
}

TEST(BoundedCall, LetsACallGoOnThatADeathReleases) {
    bound_by(60);
    std::atomic<int> asked = 0;
    const nereus::mpi::Hearing hearing([&] {
        ++asked;
        return std::optional(somebody_died());
    });
    const BoundedCall bounded("MPI_Comm_accept", 0, BoundedCall::Death::releases_it);
    std::this_thread::sleep_for(300ms);
    EXPECT_EQ(asked, 0);
}

TEST(BoundedCall, DoesNotCountTheTimeInWhichAJobIsStopped) {
    const auto call = [] {
        bound_by(2);
        const BoundedCall bounded("MPI_Win_create");
        for (int nap = 0; nap < 10; ++nap) std::this_thread::sleep_for(50ms);
    };
    const int status = status_after_a_stop(3s, call);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), EXIT_SUCCESS);
}
