// SPDX-License-Identifier: BSD-3-Clause
// The steps are found by wrapping the MPI calls that the library makes (MPI 4.1, section 15.2).
//
// Transfers are entered by the first call that moves a large part of an array to this process.
//
// A process dies outside of MPI calls only, together with all of its MPI_COMM_WORLD: one that is killed within a call
// may leave MPICH's shared memory locked, which no application survives.
#include "faults.hpp"

#include <mpi.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>
#include <vector>

namespace {

constexpr unsigned nap_microseconds = 10'000;
constexpr int naps_for_others = 3'000;
constexpr int naps_for_messages = 10; // that are on their way
constexpr unsigned settle_microseconds = 100'000;
constexpr MPI_Count large_bytes = 10'000; // more than any message beside the data has

struct {
    std::string folder, step, party;
    bool merged = false;
    std::byte *arriving = nullptr; ///< where `arrival` writes
    MPI_Request arrival = MPI_REQUEST_NULL;
} here;

std::filesystem::path mark_of(int rank) {
    return here.folder + "/at." + here.party + "." + here.step + "." + std::to_string(rank);
}

/// Lets MPI go on with what it has begun: others may wait for it in their calls.
void nap() {
    int any = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &any, MPI_STATUS_IGNORE);
    usleep(nap_microseconds);
}

void wait_for_all_of_this_world() {
    int rank = 0, size = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    std::ofstream(mark_of(rank)).flush();
    for (int other = 0; other < size; ++other)
        for (int naps = 0; !std::filesystem::exists(mark_of(other)) && naps < naps_for_others; ++naps) nap();
    for (int naps = 0; naps < naps_for_messages; ++naps) nap();
}

void reach(const char *step) {
    if (here.step != step) return;
    wait_for_all_of_this_world();
    usleep(settle_microseconds);
    kill(getpid(), SIGKILL);
}

/// Until the test lets it go on.
void hold() {
    if (here.step != "holding") return;
    wait_for_all_of_this_world();
    while (!std::filesystem::exists(here.folder + "/go")) nap();
    here.step.clear();
}

MPI_Count bytes_of(int count, MPI_Datatype type) {
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    return size * count;
}

/// The first large part is not even asked for.
bool refuses(MPI_Count bytes) {
    if (here.step != "refuse" || bytes < large_bytes) return false;
    here.step.clear();
    return true;
}

/// @param request  of the call that is to bring `bytes`, begun already
void begin_to_receive(void *buffer, MPI_Count bytes, MPI_Request request) {
    if (bytes < large_bytes) return;
    reach("sending");
    hold();
    if (here.step != "flip" || here.arriving != nullptr) return;
    here.arriving = static_cast<std::byte *>(buffer);
    here.arrival = request;
}

/// As a bad network would, behind the back of MPI.
void flip_what_arrived(const std::vector<MPI_Request> &before, const int *which, int ended) {
    const auto is_it = [&](int index) { return before[static_cast<std::size_t>(index)] == here.arrival; };
    if (here.arriving == nullptr || std::none_of(which, which + std::max(ended, 0), is_it)) return;
    here.arriving[1] ^= std::byte{0x10};
    here.step.clear();
    here.arriving = nullptr;
}

}

namespace faults {

void begin(const std::string &folder) {
    const char *party = std::getenv("NEREUS_PARTY");
    if (party == nullptr) return;
    here.folder = folder;
    here.party = party;
    std::ifstream(folder + "/fault") >> here.step;
    reach("opening");
    if (here.step != "never") return;
    wait_for_all_of_this_world();
    while (true) pause();
}

void arm(const std::string &step) { here.step = step; }

}

extern "C" {

int MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm,
                   MPI_Request *request) {
    reach("agreeing");
    return PMPI_Iallreduce(mine, all, count, type, operation, comm, request);
}

int MPI_Comm_connect(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm) {
    reach("up");
    const int code = PMPI_Comm_connect(port, info, root, comm, newcomm);
    reach("connected");
    return code;
}

int MPI_Intercomm_merge(MPI_Comm inter, int high, MPI_Comm *newcomm) {
    const int code = PMPI_Intercomm_merge(inter, high, newcomm);
    reach("merged");
    here.merged = true;
    return code;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
    if (refuses(bytes_of(count, type))) return MPI_ERR_NO_MEM;
    const int code = PMPI_Irecv(buffer, count, type, source, tag, comm, request);
    if (here.merged) reach("transferring");
    begin_to_receive(buffer, bytes_of(count, type), *request);
    return code;
}

int MPI_Rget(void *buffer, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win window, MPI_Request *request) {
    if (refuses(bytes_of(count, type))) return MPI_ERR_NO_MEM;
    const int code = PMPI_Rget(buffer, count, type, target, place, target_count, target_type, window, request);
    begin_to_receive(buffer, bytes_of(count, type), *request);
    return code;
}

int MPI_Testsome(int count, MPI_Request requests[], int *ended, int which[], MPI_Status statuses[]) {
    const std::vector<MPI_Request> before(requests, requests + count);
    const int code = PMPI_Testsome(count, requests, ended, which, statuses);
    flip_what_arrived(before, which, *ended);
    return code;
}

int MPI_Ialltoallw(const void *send, const int *send_counts, const int *send_places, const MPI_Datatype *send_types,
                   void *receive, const int *receive_counts, const int *receive_places,
                   const MPI_Datatype *receive_types, MPI_Comm comm, MPI_Request *request) {
    const int code = PMPI_Ialltoallw(send, send_counts, send_places, send_types, receive, receive_counts,
                                     receive_places, receive_types, comm, request);
    reach("transferring");
    int inter = 0, peers = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &peers);
    MPI_Count bytes = 0;
    for (int peer = 0; inter == 0 && peer < peers; ++peer) bytes += bytes_of(receive_counts[peer], receive_types[peer]);
    begin_to_receive(receive, bytes, *request);
    return code;
}
}
