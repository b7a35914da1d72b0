// SPDX-License-Identifier: BSD-3-Clause
// A job that saves an epoch and then gives its array another distribution, in which a process ends itself; and one that
// continues from that epoch.
//
//     redistributes FUNCTION:N    founders: a process dies at this call (kill_at.c, which is preloaded)
//
// Prints what it has: the layout of the array, and whether all elements are right.
#include <nereus/nereus.h>
#include <nereus/save.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr std::int64_t elements = 100'003;
/// By then the epoch is saved: a request takes effect at most 32 checkpoints later.
constexpr int checkpoints_until_saved = 40;

void stop(const char *what) {
    std::fprintf(stderr, "redistributes: %s\n", what);
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int rank_of(nereus_job *job) {
    int rank = 0;
    MPI_Comm_rank(nereus_comm(job), &rank);
    return rank;
}

void save(nereus_job *job) {
    if (rank_of(job) == 0 && nereus_save(job, 0, nullptr) < 0) stop(nereus_message(job));
    for (int i = 0; i < checkpoints_until_saved; ++i)
        if (nereus_checkpoint(job) != NEREUS_GO_ON) stop(nereus_message(job));
}

/// From now on the first process that comes to this call ends itself.
void ask_for_a_death(nereus_job *job, const std::string &call) {
    MPI_Barrier(nereus_comm(job));
    if (rank_of(job) == 0) {
        const char *path = std::getenv("NEREUS_TEST_KILL_FILE");
        std::FILE *file = path == nullptr ? nullptr : std::fopen(path, "w");
        if (file == nullptr) return stop("NEREUS_TEST_KILL_FILE cannot be written");
        std::fprintf(file, "1 newcomer %s\n", call.c_str());
        std::fclose(file);
    }
    MPI_Barrier(nereus_comm(job));
}

void fill(nereus_job *job, double *part) {
    for (std::int64_t i = 0; i < nereus_count(job, "x"); ++i) part[i] = static_cast<double>(nereus_first(job, "x") + i);
}

bool is_right(nereus_job *job, const double *part) {
    const int self = rank_of(job);
    for (std::int64_t element = 0; element < elements; ++element) {
        int rank = -1;
        const std::int64_t place = nereus_locate(job, "x", element, &rank);
        if (rank == self && part[place] != static_cast<double>(element)) return false;
    }
    return true;
}

void say(nereus_job *job, const double *part) {
    nereus_distribution distribution{};
    if (nereus_array_distribution(job, "x", &distribution) != NEREUS_OK) stop(nereus_message(job));
    int right = is_right(job, part) ? 1 : 0, all = 0;
    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, nereus_comm(job));
    if (rank_of(job) == 0) std::printf("layout %d, %s\n", distribution.layout, all == 1 ? "right" : "damaged");
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    nereus_job *job = nullptr;
    double *part = nullptr;
    if (argc < 2 || nereus_open(MPI_COMM_WORLD, argc, argv, &job) != NEREUS_OK) stop("the job does not open");
    const bool begins = nereus_generation(job) == 0;
    if (nereus_array(job, "x", MPI_DOUBLE, elements, NEREUS_BLOCK, NEREUS_VARIABLE, reinterpret_cast<void **>(&part)) !=
        NEREUS_OK)
        stop(nereus_message(job));
    if (begins) {
        fill(job, part);
        save(job);
        ask_for_a_death(job, argv[1]);
        nereus_distribution cyclic{};
        cyclic.layout = NEREUS_CYCLIC;
        cyclic.block = 7;
        if (nereus_change_distribution(job, "x", &cyclic) < 0) stop(nereus_message(job));
        if (rank_of(job) == 0) {
            std::printf("changed\n");
            std::fflush(stdout); // it may die soon
        }
    }
    say(job, part);
    nereus_close(&job);
    MPI_Finalize();
}
