// SPDX-License-Identifier: BSD-3-Clause
// A user would lose cores if processes that cannot end after a shrink kept spinning, and memory if they kept it.
#include "expect.hpp"

#include <nereus/nereus.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

using namespace testing_mpi;

namespace {

constexpr double most_of_a_core = 0.02;       // 20 times what it takes on a quiet machine
constexpr std::int64_t data_bytes = 96 << 20; // of all ranks

double cpu_seconds() {
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/// Number behind `key` in /proc/self/status.
long status_of(const std::string &key) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == key + ":") {
            long value = 0;
            status >> value;
            return value;
        }
    return -1;
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    nereus_job *job = nullptr;
    char *data = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    const int rank = rank_in(nereus_comm(job));
    expect(nereus_array(job, "data", MPI_BYTE, data_bytes, NEREUS_BLOCK, NEREUS_VARIABLE,
                        reinterpret_cast<void **>(&data)) == NEREUS_OK,
           "memory for the data");
    std::memset(data, 1, static_cast<std::size_t>(nereus_count(job, "data")));
    const long full_kib = status_of("VmRSS");
    if (rank == 0) nereus_resize(job, 1, nullptr, nullptr);
    int code = NEREUS_GO_ON;
    while (code == NEREUS_GO_ON) code = nereus_checkpoint(job);
    expect(code == (rank == 0 ? NEREUS_RESIZED : NEREUS_LEAVE), nereus_message(job));
    nereus_resize_report report;
    nereus_last_resize(job, &report);
    expect(report.left == 0 && report.parked == 2, "founders cannot end while one of them goes on");

    constexpr unsigned slept = 4;
    if (rank == 0) sleep(slept);
    const double cpu = cpu_seconds(), start = MPI_Wtime();
    expect(nereus_close(&job) == NEREUS_OK, "the job closes");
    const double share = (cpu_seconds() - cpu) / std::max<double>(slept, MPI_Wtime() - start);
    if (rank != 0) {
        std::printf("parked: %.3f %% of a core, %ld of %ld KiB resident\n", 100 * share, status_of("VmRSS"), full_kib);
        expect(share < most_of_a_core, "a parked process sleeps");
        expect(status_of("VmRSS") < full_kib - (16 << 10), "a parked process gives its pages back");
    }
    MPI_Finalize();
    return 0;
}
