// SPDX-License-Identifier: BSD-3-Clause
// Whether hundreds of resizes leave anything behind: descriptors, shared memory, memory, time per cycle.
//
//     nereus run -n 1 -- soak nereus 500        mpiexec -n 1 soak nereus 500        mpiexec -n 1 soak bare 500
//
// "nereus" goes through random sizes 1 .. 6, an expand and a shrink a cycle. "bare" is the same in MPI alone, without
// data and votes: what it leaks is MPI's own. Prints a line of rank 0 at each fiftieth of the way.
#include <nereus/nereus.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace {

constexpr int most = 6;

int entries_in(const char *folder) {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

double resident_mib() {
    std::ifstream statm("/proc/self/statm");
    double pages = 0, resident = 0;
    statm >> pages >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1048576;
}

/// Tells how things stand every so many cycles.
class Witness {
public:
    explicit Witness(int cycles) : every_(std::max(1, cycles / 50)) {}

    void cycle_done(int cycle) {
        if (cycle % every_ != 0) return;
        const double now = MPI_Wtime();
        std::printf("{\"cycle\": %d, \"descriptors\": %d, \"shm_files\": %d, \"resident_mib\": %.2f, "
                    "\"seconds_per_cycle\": %.4f}\n",
                    cycle, entries_in("/proc/self/fd"), entries_in("/dev/shm"), resident_mib(), (now - last_) / every_);
        std::fflush(stdout);
        last_ = MPI_Wtime();
    }

private:
    int every_;
    double last_ = MPI_Wtime();
};

/// Even generations are large, odd ones small; the same on every process that knows the cycle.
int size_after(std::int64_t generation) {
    std::mt19937 random(static_cast<unsigned>(generation));
    return generation % 2 == 0 ? 1 + static_cast<int>(random() % 3) : 4 + static_cast<int>(random() % 3);
}

void iterate(nereus_job *job, int cycles) {
    Witness witness(cycles);
    std::int64_t asked = -1;
    while (nereus_generation(job) < 2 * cycles) {
        int rank = 0, one = 1, all = 0;
        MPI_Comm_rank(nereus_comm(job), &rank);
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, nereus_comm(job));
        if (rank == 0 && asked != nereus_generation(job)) {
            asked = nereus_generation(job);
            if (nereus_resize(job, size_after(asked + 1), nullptr, nullptr) < 0) {
                std::fprintf(stderr, "soak: %s\n", nereus_message(job));
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
        }
        const int code = nereus_checkpoint(job);
        if (code == NEREUS_LEAVE) return;
        nereus_resize_report report;
        nereus_last_resize(job, &report);
        if (report.code < 0) {
            std::fprintf(stderr, "soak: %s\n", nereus_message(job));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        if (code == NEREUS_RESIZED && rank == 0 && nereus_generation(job) % 2 == 0)
            witness.cycle_done(static_cast<int>(nereus_generation(job) / 2));
    }
}

void through_nereus(int argc, char **argv, int cycles) {
    nereus_job *job = nullptr;
    double *data = nullptr;
    do {
        const int code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
        if (code < 0) MPI_Abort(MPI_COMM_WORLD, 1);
        if (code == NEREUS_LEAVE) continue;
        nereus_array(job, "data", MPI_DOUBLE, 1 << 16, NEREUS_BLOCK, NEREUS_VARIABLE, reinterpret_cast<void **>(&data));
        iterate(job, cycles);
    } while (nereus_close(&job) == NEREUS_WOKEN);
}

/// Of a generation: the application's and that for the next resize.
struct Pair {
    MPI_Comm control = MPI_COMM_NULL, application = MPI_COMM_NULL;

    explicit Pair(MPI_Comm control_of_generation) : control(control_of_generation) {
        MPI_Comm_dup(control, &application);
    }
    void free() {
        MPI_Comm_free(&application);
        MPI_Comm_free(&control);
    }
};

/// The other side of it: bare_newcomer.
void bare_cycle(char **argv, int newcomers) {
    MPI_Comm link = MPI_COMM_NULL, all = MPI_COMM_NULL, left = MPI_COMM_NULL;
    MPI_Comm_spawn(argv[0], argv + 1, newcomers, MPI_INFO_NULL, 0, MPI_COMM_SELF, &link, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(link, 0, &all);
    MPI_Comm_disconnect(&link);
    Pair large(all);
    MPI_Barrier(large.application);
    MPI_Comm_split(large.control, 0, 0, &left);
    Pair small(left);
    large.free();
    small.free();
}

void bare_newcomer(MPI_Comm parent) {
    MPI_Comm all = MPI_COMM_NULL, left = MPI_COMM_NULL;
    MPI_Intercomm_merge(parent, 1, &all);
    MPI_Comm_disconnect(&parent);
    Pair large(all);
    MPI_Barrier(large.application);
    MPI_Comm_split(large.control, MPI_UNDEFINED, 0, &left);
    large.free();
}

void bare(char **argv, int cycles) {
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) return bare_newcomer(parent);
    Witness witness(cycles);
    for (int cycle = 1; cycle <= cycles; ++cycle) {
        bare_cycle(argv, std::min(most - 1, size_after(2 * cycle - 1) - size_after(2 * cycle)));
        witness.cycle_done(cycle);
    }
}

}

int main(int argc, char **argv) {
    const std::string mode = argc > 2 ? argv[1] : "";
    const int cycles = argc > 2 ? std::atoi(argv[2]) : 0;
    if (cycles < 1 || (mode != "nereus" && mode != "bare")) {
        std::fprintf(stderr, "soak: soak nereus|bare CYCLES; CYCLES is 1 or more\n");
        return 2;
    }
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (mode == "nereus")
        through_nereus(argc, argv, cycles);
    else
        bare(argv, cycles);
    MPI_Finalize();
    return 0;
}
