// SPDX-License-Identifier: BSD-3-Clause
// A user would lose data, or gain nothing, if ranks were put in another order over the hosts by what they send.
//
// placed_test SIZE... [silent]
//   processes are on three hosts, as far as the library can see: the first of each MPI_COMM_WORLD on host0, the next on
//   host1, and so on; ranks send to their neighbours alone, or where they are silent to nobody; NEREUS_MONITOR=none,
//   off: nobody measures that
#include "sample_data.hpp"
#include "stays.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

using namespace testing_mpi;

extern "C" int MPI_Get_processor_name(char *name, int *length) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *length = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "host%d", rank % 3);
    return MPI_SUCCESS;
}

namespace {

constexpr int message = 10000;
bool is_silent = false;

bool is_measured() {
    const char *set = std::getenv("NEREUS_MONITOR");
    return set == nullptr || (std::strcmp(set, "none") != 0 && std::strcmp(set, "off") != 0);
}

void send_to_neighbours(MPI_Comm comm) {
    if (is_silent) return;
    static std::vector<char> out(message), in(message);
    const int rank = rank_in(comm), last = size_of(comm) - 1;
    const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, behind = rank < last ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(out.data(), message, MPI_CHAR, behind, 0, in.data(), message, MPI_CHAR, before, 0, comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out.data(), message, MPI_CHAR, before, 0, in.data(), message, MPI_CHAR, behind, 0, comm,
                 MPI_STATUS_IGNORE);
}

/// Collective: neighbours that are on different hosts.
int borders(MPI_Comm comm) {
    int own = 0, next = 0, length = 0;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Get_processor_name(name, &length);
    own = name[4];
    const int rank = rank_in(comm), last = size_of(comm) - 1;
    MPI_Sendrecv(&own, 1, MPI_INT, rank > 0 ? rank - 1 : MPI_PROC_NULL, 1, &next, 1, MPI_INT,
                 rank < last ? rank + 1 : MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
    int mine = rank < last && own != next ? 1 : 0, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
    return all;
}

int hosts_in_use(MPI_Comm comm) {
    int length = 0;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Get_processor_name(name, &length);
    std::vector<char> all(static_cast<std::size_t>(size_of(comm)));
    MPI_Allgather(&name[4], 1, MPI_CHAR, all.data(), 1, MPI_CHAR, comm);
    return static_cast<int>(std::set<char>(all.begin(), all.end()).size());
}

void check_placed(nereus_job *job) {
    nereus_resize_report report;
    expect(nereus_last_resize(job, &report) == NEREUS_OK, "there is a report");
    const std::string placed = report.placed;
    if (!is_measured()) {
        expect(placed.find("was not measured") != std::string::npos, placed.c_str());
        expect(report.between_hosts == -1 && report.usual_between_hosts == -1, "nothing is known");
        return;
    }
    if (is_silent) {
        expect(placed.find("hardly anything is sent between hosts") != std::string::npos, placed.c_str());
        return;
    }
    expect(report.between_hosts <= report.usual_between_hosts, "never worse than the usual order");
    const bool is_better = placed.rfind("ranks are placed", 0) == 0;
    expect(is_better == (report.between_hosts < report.usual_between_hosts), placed.c_str());
    // The first resize makes one process more on each host.
    expect(is_better || nereus_generation(job) > 1, placed.c_str());
    // Ranks of a host are in a row: as many borders as a row of hosts has.
    expect(!is_better || borders(nereus_comm(job)) == hosts_in_use(nereus_comm(job)) - 1, placed.c_str());
}

/// By sources and newcomers.
void check_resized(nereus_job *job, const SampleData &data) {
    check_placed(job);
    data.check(job);
}

/// @return whether this process left the job
bool iterate(nereus_job *job, SampleData &data, const std::vector<int> &sizes) {
    for (std::int64_t asked = -1;;) {
        const auto done = static_cast<std::size_t>(nereus_generation(job));
        if (done == sizes.size()) return false;
        if (rank_in(nereus_comm(job)) == 0 && data.step % 20 == 10 && asked != nereus_generation(job)) {
            asked = nereus_generation(job);
            expect(nereus_resize(job, sizes[done], nullptr, nullptr) == NEREUS_OK, nereus_message(job));
        }
        send_to_neighbours(nereus_comm(job));
        data.advance(job);
        const int code = nereus_checkpoint(job);
        if (code == NEREUS_LEAVE) return true;
        expect(code >= 0, nereus_message(job));
        if (code != NEREUS_RESIZED) continue;
        expect(size_of(nereus_comm(job)) == sizes[done], "the job has the size that was asked for");
        expect(std::strstr(nereus_message(job), "; ranks are ") != nullptr, "the message says it");
        check_resized(job, data);
    }
}

int take_part(int argc, char **argv) {
    std::vector<int> sizes;
    for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
        is_silent = is_silent || std::strcmp(argv[i], "silent") == 0;
        if (!is_silent) sizes.push_back(std::atoi(argv[i]));
    }
    nereus_job *job = nullptr;
    const int code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
    SampleData data;
    bool left = code == NEREUS_LEAVE;
    if (!left) {
        expect(code == NEREUS_OK && data.enter(job, nereus_generation(job) == 0) == NEREUS_OK, "the job opens");
        if (nereus_generation(job) > 0) check_resized(job, data);
        left = iterate(job, data, sizes);
    }
    if (!left) data.check(job);
    const int closed = nereus_close(&job);
    data.free_own();
    return closed;
}

}

int main(int argc, char **argv) { return stay_until_unwanted(argc, argv, take_part); }
