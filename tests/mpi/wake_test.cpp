// SPDX-License-Identifier: BSD-3-Clause
// A user would lose the time to start processes, and a core for each, if those that were parked were not used again.
#include "sample_data.hpp"

#include <nereus/nereus.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

using namespace testing_mpi;

namespace {

constexpr int founders = 3;
constexpr double most_of_a_core = 0.02; // 20 times what it takes on a quiet machine
// To be woken took 0.05 s of a core beside other load, and is counted too.
constexpr unsigned sleep_seconds = 6;

double cpu_seconds() {
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/// Asks on rank 0, and passes checkpoints until the job has this size. @return the code of the last checkpoint
int resize_to(nereus_job *job, SampleData &data, int ranks) {
    if (rank_in(nereus_comm(job)) == 0)
        expect(nereus_resize(job, ranks, nullptr, nullptr) == NEREUS_OK, nereus_message(job));
    int code = NEREUS_GO_ON;
    while (code == NEREUS_GO_ON) {
        data.advance(job);
        code = nereus_checkpoint(job);
    }
    expect(code >= 0, nereus_message(job));
    return code;
}

void expect_report(nereus_job *job, int woken, int parked) {
    nereus_resize_report report;
    nereus_last_resize(job, &report);
    expect(report.woken == woken, "as many processes were woken as sleep and are wanted");
    expect(report.parked == parked && report.left == 0, "founders that are not wanted are parked");
}

/// Founders shrink to one and grow again: the same processes take part once more.
bool shrink(nereus_job *job, SampleData &data) {
    if (resize_to(job, data, 1) == NEREUS_LEAVE) return false;
    expect_report(job, 0, founders - 1);
    sleep(sleep_seconds);
    resize_to(job, data, founders);
    return true;
}

/// One job from its open to its close. @return what nereus_close() said
int take_part(int argc, char **argv, bool slept) {
    nereus_job *job = nullptr;
    SampleData data;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    expect(data.enter(job, !slept) == NEREUS_OK, nereus_message(job));
    if (slept || shrink(job, data)) {
        expect(size_of(nereus_comm(job)) == founders, "the job has its first size again");
        expect_report(job, founders - 1, 0);
        data.check(job);
    }
    const double cpu = cpu_seconds(), start = MPI_Wtime();
    const int code = nereus_close(&job);
    if (code == NEREUS_WOKEN) {
        // One that came late to its sleep was woken no less for that.
        const double share = (cpu_seconds() - cpu) / std::max<double>(MPI_Wtime() - start, sleep_seconds);
        std::printf("asleep: %.3f %% of a core\n", 100 * share);
        expect(share < most_of_a_core, "a parked process sleeps");
    }
    data.free_own();
    return code;
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    expect(size_of(MPI_COMM_WORLD) == founders, "no other process was made, only founders were woken");
    int code = take_part(argc, argv, false);
    if (code == NEREUS_WOKEN) code = take_part(argc, argv, true);
    expect(code == NEREUS_OK, "the job closes");
    MPI_Finalize();
    return 0;
}
