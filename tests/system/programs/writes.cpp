// SPDX-License-Identifier: BSD-3-Clause
// A job with I/O phases. Usage: writes ITERATIONS MILLISECONDS EVERY WRITING_MILLISECONDS [FILE]
//
// Each iteration takes so long on one rank, and less on more; every EVERY-th ends with an I/O phase: one that the
// program says, or with FILE the time for which it has that file open. Rank 0 prints a line for each phase, "io
// ITERATION CODE WAITED", and for each resize, "resized ITERATION RANKS".
#include <nereus/nereus.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void nap(double milliseconds) { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds)); }

struct Plan {
    std::int64_t iterations;
    double milliseconds;
    std::int64_t every;
    double writing_milliseconds;
    const char *file;
};

void say_io(const nereus::Job &job, std::int64_t iteration, int code, double waited) {
    if (job.rank() != 0) return;
    std::printf("io %lld %s %.3f\n", static_cast<long long>(iteration), nereus_code_name(code), waited);
    std::fflush(stdout);
}

void write_file(const nereus::Job &job, const Plan &plan, std::int64_t iteration) {
    MPI_File file = MPI_FILE_NULL;
    const double asked = now();
    MPI_File_open(job.comm(), plan.file, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    const double waited = now() - asked;
    MPI_File_write_at_all(file, job.rank() * 8, &iteration, 1, MPI_INT64_T, MPI_STATUS_IGNORE);
    nap(plan.writing_milliseconds);
    MPI_File_close(&file);
    say_io(job, iteration, NEREUS_OK, waited);
}

void write(const nereus::Job &job, const Plan &plan, std::int64_t iteration) {
    const double asked = now();
    const nereus::IoPhase phase(job, 1 << 20);
    const double waited = now() - asked;
    nap(plan.writing_milliseconds);
    say_io(job, iteration, phase.code(), waited);
}

void iterate(nereus::Job &job, const Plan &plan) {
    std::int64_t iteration = 0;
    job.value("iteration", iteration);
    while (iteration < plan.iterations) {
        nap(plan.milliseconds / job.size());
        if (++iteration % plan.every == 0) plan.file ? write_file(job, plan, iteration) : write(job, plan, iteration);
        const nereus::Outcome outcome = job.checkpoint();
        if (outcome == nereus::Outcome::leave) return;
        if (outcome != nereus::Outcome::resized || job.rank() != 0) continue;
        std::printf("resized %lld %d\n", static_cast<long long>(iteration), job.size());
        std::fflush(stdout);
    }
}

}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    const Plan plan{std::atoll(argv[1]), std::atof(argv[2]), std::atoll(argv[3]), std::atof(argv[4]),
                    argc > 5 && argv[5][0] != '-' ? argv[5] : nullptr};
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    nereus::run(MPI_COMM_WORLD, argc, argv, [&](nereus::Job &job) { iterate(job, plan); });
    MPI_Finalize();
    return 0;
}
