// SPDX-License-Identifier: BSD-3-Clause
// A job with I/O phases. Usage: writes ITERATIONS MILLISECONDS EVERY WRITING_MILLISECONDS [FILE [WAY]]
//
// Each iteration takes so long on one rank, and less on more; every EVERY-th ends with an I/O phase: one that the
// program says, or with FILE the time for which it has that file open, in a WAY of ways() below. Rank 0 prints a line
// for each phase, "io ITERATION CODE WAITED", and for each resize, "resized ITERATION RANKS".
//
// Where the environment names them, it does not iterate before there is the file $NEREUS_TEST_BEGIN_FILE, and ends
// once there is the file $NEREUS_TEST_STOP_FILE.
#include <nereus/nereus.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
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
    const char *way;
};

void say_io(const nereus::Job &job, std::int64_t iteration, int code, double waited) {
    if (job.rank() != 0) return;
    std::printf("io %lld %s %.3f\n", static_cast<long long>(iteration), nereus_code_name(code), waited);
    std::fflush(stdout);
}

MPI_File opened(MPI_Comm comm, const std::string &name) {
    MPI_File file = MPI_FILE_NULL;
    MPI_File_open(comm, name.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    return file;
}

void write_one_file(const nereus::Job &job, const Plan &plan) {
    MPI_File file = opened(job.comm(), plan.file);
    const std::int64_t number = job.rank();
    MPI_File_write_at_all(file, job.rank() * 8, &number, 1, MPI_INT64_T, MPI_STATUS_IGNORE);
    nap(plan.writing_milliseconds);
    MPI_File_close(&file);
}

void write_two_files(const nereus::Job &job, const Plan &plan) {
    MPI_File first = opened(job.comm(), plan.file);
    MPI_File second = opened(job.comm(), std::string(plan.file) + ".second");
    MPI_File_close(&first);
    nap(plan.writing_milliseconds);
    MPI_File_close(&second);
}

void write_twice(const nereus::Job &job, const Plan &plan) {
    write_one_file(job, plan);
    write_one_file(job, plan);
}

void try_to_open(MPI_Comm comm, const char *name) {
    if (opened(comm, name) != MPI_FILE_NULL) MPI_Abort(MPI_COMM_WORLD, 1);
}

/// All try files that cannot be, twice together and once alone; then rank 0 has one for itself.
void fail_to_write(const nereus::Job &job, const Plan &plan) {
    try_to_open(job.comm(), "no/such/folder/file");
    try_to_open(job.comm(), "no/such/folder/file");
    try_to_open(MPI_COMM_NULL, plan.file);
    if (job.rank() != 0) return;
    MPI_File own = opened(MPI_COMM_SELF, plan.file);
    nap(plan.writing_milliseconds);
    MPI_File_close(&own);
}

/// Each process has a file with those whose rank is as even or odd as its own.
void write_in_parts(const nereus::Job &job, const Plan &plan) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(job.comm(), job.rank() % 2, 0, &part);
    MPI_File file = opened(part, std::string(plan.file) + std::to_string(job.rank() % 2));
    nap(plan.writing_milliseconds);
    MPI_File_close(&file);
    MPI_Comm_free(&part);
}

/// Opens a file, and closes it when it is called again, some checkpoints later.
void keep_open(const nereus::Job &job, const Plan &plan) {
    static MPI_File kept = MPI_FILE_NULL;
    if (kept != MPI_FILE_NULL)
        MPI_File_close(&kept);
    else
        kept = opened(job.comm(), plan.file);
}

/// A phase that the program says begins within one that its file began, and ends behind it.
void say_within(const nereus::Job &job, const Plan &plan) {
    MPI_File file = opened(job.comm(), plan.file);
    const nereus::IoPhase phase(job, 1 << 20);
    nap(plan.writing_milliseconds);
    MPI_File_close(&file);
}

using Way = void (*)(const nereus::Job &, const Plan &);

const std::map<std::string, Way> &ways() {
    static const std::map<std::string, Way> all{
        {"one", write_one_file},   {"twice", write_twice}, {"two", write_two_files}, {"fails", fail_to_write},
        {"parts", write_in_parts}, {"kept", keep_open},    {"says", say_within}};
    return all;
}

void write_file(const nereus::Job &job, const Plan &plan, std::int64_t iteration) {
    const double asked = now();
    ways().at(plan.way)(job, plan);
    say_io(job, iteration, NEREUS_OK, now() - asked);
}

void write(const nereus::Job &job, const Plan &plan, std::int64_t iteration) {
    const double asked = now();
    const nereus::IoPhase phase(job, 1 << 20);
    const double waited = now() - asked;
    nap(plan.writing_milliseconds);
    say_io(job, iteration, phase.code(), waited);
}

void wait_until_it_may_begin() {
    const char *file = std::getenv("NEREUS_TEST_BEGIN_FILE");
    while (file && access(file, F_OK) != 0) nap(10);
}

/// All ranks agree.
bool is_to_stop(const nereus::Job &job) {
    const char *file = std::getenv("NEREUS_TEST_STOP_FILE");
    if (!file) return false;
    int is_there = access(file, F_OK) == 0;
    MPI_Bcast(&is_there, 1, MPI_INT, 0, job.comm());
    return is_there != 0;
}

void iterate(nereus::Job &job, const Plan &plan) {
    std::int64_t iteration = 0;
    job.value("iteration", iteration);
    wait_until_it_may_begin();
    while (iteration < plan.iterations && !is_to_stop(job)) {
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
    const auto word = [&](int at, const char *otherwise) {
        return argc > at && argv[at][0] != '-' ? argv[at] : otherwise;
    };
    const Plan plan{std::atoll(argv[1]), std::atof(argv[2]), std::atoll(argv[3]),
                    std::atof(argv[4]),  word(5, nullptr),   word(6, "one")};
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    nereus::run(MPI_COMM_WORLD, argc, argv, [&](nereus::Job &job) { iterate(job, plan); });
    MPI_Finalize();
    return 0;
}
