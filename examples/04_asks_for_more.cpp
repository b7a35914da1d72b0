// SPDX-License-Identifier: BSD-3-Clause
// A job that asks for more processes by itself when its work grows, in C++.
//
//     mpiexec -n 1 example_04      one process, and another one for each 1000 units of work in an iteration
//
// The rule counts work and does not measure time, so that each run is like the other.
#include <nereus/nereus.hpp>

#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace {

constexpr std::int64_t elements = 600, last = 20;
constexpr std::int64_t bearable = 1000; // units of work for one process in an iteration

/// Work grows: element i costs i / 100 units, and from iteration 8 on one more.
std::int64_t cost(const nereus::Array<std::int64_t> &x, std::int64_t step) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < x.count(); ++i) sum += (x.first() + i) / 100 + (step >= 8 ? 1 : 0);
    return sum;
}

void ask_for_more(nereus::Job &job, std::int64_t work) {
    std::int64_t all = 0;
    MPI_Allreduce(&work, &all, 1, MPI_INT64_T, MPI_SUM, job.comm());
    const int wanted = static_cast<int>((all + bearable - 1) / bearable);
    if (job.rank() == 0 && wanted > job.size()) job.resize(wanted);
}

/// One process' stay in the job.
void stay(nereus::Job &job) {
    auto x = job.array<std::int64_t>("x", elements, NEREUS_BLOCK, NEREUS_VARIABLE);
    std::int64_t step = 0;
    job.value("step", step);
    if (job.generation() == 0) std::iota(x.begin(), x.end(), x.first());
    while (step < last) {
        if (step % 4 == 0) ask_for_more(job, cost(x, step));
        for (std::int64_t &each : x) ++each;
        ++step;
        if (job.checkpoint() == nereus::Outcome::leave) return;
    }
    const std::int64_t mine = std::accumulate(x.begin(), x.end(), std::int64_t{0});
    std::int64_t sum = 0;
    MPI_Reduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, 0, job.comm());
    if (job.rank() == 0) std::printf("sum %lld with %d processes\n", static_cast<long long>(sum), job.size());
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    try {
        nereus::run(MPI_COMM_WORLD, argc, argv, stay);
    } catch (const nereus::Failure &failure) {
        std::fprintf(stderr, "example_04: %s\n", failure.what());
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    MPI_Finalize();
}
