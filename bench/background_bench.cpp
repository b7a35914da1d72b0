// SPDX-License-Identifier: BSD-3-Clause
// How much a transfer in the background slows an application that iterates meanwhile.
//
// Usage: mpiexec -n RANKS background_bench FROM TO MIB ROUNDS [LOOK_MICROSECONDS]
// An iteration of a source is 2 ms of computing and an MPI_Allreduce among the sources, then a look at the transfer.
// Each round times iterations without a transfer, then those during one, for each method and strategy in turn; drains
// that are not sources sleep before. Wrong bytes end the bench with 1.
#include "transfer_job.hpp"

#include "base/methods.hpp"
#include "mpi/threads.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace nereus::transfer {
namespace {

constexpr double compute_seconds = 2e-3;
constexpr int iterations_without = 60;

struct Way {
    Method method;
    Strategy strategy;
    std::vector<double> omega{}, seconds{}, iterations{};
};

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// A fixed amount of work: who is disturbed needs more time for it.
void compute(std::int64_t turns) {
    volatile double sum = 0;
    for (std::int64_t i = 0; i < turns; ++i) sum = sum + 1.0 / static_cast<double>(i + 1);
}

std::int64_t turns_of_an_iteration() {
    constexpr std::int64_t turns = 5'000'000;
    const double start = processor_seconds();
    compute(turns);
    return static_cast<std::int64_t>(turns * compute_seconds / (processor_seconds() - start));
}

/// The sources' application.
struct Application {
    MPI_Comm sources;
    std::int64_t turns;

    /// @return whether all are `ready`
    bool iterate(bool ready) const {
        compute(turns);
        int mine = ready ? 1 : 0, all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, sources);
        return all != 0;
    }
};

void must(const Done &done) {
    if (done) return;
    std::fprintf(stderr, "nereus: background_bench: %s\n", done.error().what.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int iterate_meanwhile(const Application &application, Sending &sending, double look_seconds) {
    int iterations = 0;
    for (bool mine = false, all = false; !all; ++iterations) {
        if (!mine) {
            const auto done = sending.look(look_seconds);
            if (!done) must(tl::unexpected(done.error()));
            mine = *done;
        }
        all = application.iterate(mine);
    }
    return iterations;
}

void run_way(Job &job, const Application &application, Way &way, int ranks, double look_seconds) {
    std::fill(job.to.begin(), job.to.end(), std::byte{0xEE});
    Windows windows;
    Limits limits;
    limits.ranks_on_host = ranks;
    meet_asleep();
    const Stopwatch without;
    if (job.place().source)
        for (int i = 0; i < iterations_without; ++i) application.iterate(false);
    const double alone = without.seconds() / iterations_without;
    meet_asleep();
    Sending sending(way.method, way.strategy, job.lane(), {job.array_transfer()}, limits, windows);
    const Stopwatch watch;
    must(sending.start());
    if (job.place().source) {
        const int iterations = iterate_meanwhile(application, sending, look_seconds);
        way.seconds.push_back(watch.seconds());
        way.omega.push_back(watch.seconds() / iterations / alone);
        way.iterations.push_back(iterations);
    }
    must(sending.finish(Deadline::in(most_seconds)));
    meet_asleep();
    windows.reset();
    if (!has_arrived(job)) must(failed(NEREUS_ERR_TRANSFER, "wrong bytes arrived"));
}

std::vector<Way> ways() {
    std::vector<Way> all;
    for (int method = 0; method < NEREUS_TRANSFER_AUTO; ++method)
        for (int strategy = NEREUS_BLOCKING + 1; strategy < NEREUS_STRATEGY_AUTO; ++strategy)
            if (check_transfer(NEREUS_MERGE, method, strategy) &&
                (strategy != NEREUS_THREAD || mpi::threads_are_allowed()))
                all.push_back({static_cast<Method>(method), static_cast<Strategy>(strategy)});
    return all;
}

void print(const Job &job, const Way &way, std::int64_t bytes) {
    const Quartiles omega = quartiles(way.omega);
    std::printf("%d -> %d  %-11s %-12s %9.1f MB  background %6.3f s  %6.2f GB/s  %5.0f iterations  omega %.3f  "
                "(%.3f .. %.3f)\n",
                job.sizes.sources, job.sizes.drains, word_of(words::transfer_methods, way.method).c_str(),
                word_of(words::transfer_strategies, way.strategy).c_str(), static_cast<double>(bytes) / 1e6,
                quartiles(way.seconds).median, static_cast<double>(bytes) / quartiles(way.seconds).median / 1e9,
                quartiles(way.iterations).median, omega.median, omega.lower, omega.upper);
    std::fflush(stdout);
}

void run(const plan::Sizes &sizes, std::int64_t mib, int rounds, double look_seconds) {
    Job job{sizes, mib * (1 << 20) / extent, *mpi::Comm::duplicate(MPI_COMM_WORLD), {}, {}, {}, {}};
    prepare(job);
    const auto sources = *mpi::Comm::split(job.comm.get(), job.place().source ? 0 : 1, job.comm.rank());
    const Application application{sources.get(), turns_of_an_iteration()};
    std::vector<Way> all = ways();
    for (int round = 0; round < rounds; ++round)
        for (Way &way : all) run_way(job, application, way, job.comm.size(), look_seconds);
    std::int64_t bytes = bytes_sent(job.array_transfer());
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, job.comm.get());
    if (job.comm.rank() == 0)
        for (const Way &way : all) print(job, way, bytes);
}

}
}

int main(int argc, char **argv) {
    int level = 0, ranks = 0, code = 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto number = [&](int i) { return argc > i ? std::atoi(argv[i]) : 0; };
    const nereus::plan::Sizes sizes{number(1), number(2), false};
    if (argc < 5 || argc > 6 || std::min(sizes.sources, sizes.drains) < 1 ||
        std::max(sizes.sources, sizes.drains) != ranks || number(3) < 1 || number(4) < 1) {
        std::fprintf(stderr, "nereus: usage: mpiexec -n RANKS background_bench FROM TO MIB ROUNDS [LOOK_MICROSECONDS]; "
                             "the larger of FROM and TO is RANKS\n");
    } else {
        nereus::transfer::run(sizes, number(3), number(4), argc == 6 ? number(5) * 1e-6 : 100e-6);
        code = 0;
    }
    MPI_Finalize();
    return code;
}
