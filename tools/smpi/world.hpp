// SPDX-License-Identifier: BSD-3-Clause
// A world of simulated ranks: SimGrid's SMPI on equal hosts around one switch that is never full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace smpi {

/// Rates are bytes/s.
struct Cluster {
    int hosts;
    double bandwidth;        ///< of a host's link, in each direction
    double latency;          ///< seconds, of a host's link
    double memory_bandwidth; ///< that messages within a host share
    bool acknowledgements;   ///< whether a twentieth of what is received goes back
};

struct World {
    Cluster cluster;
    std::vector<int> host_of_rank;
    double look_seconds; ///< that a rank takes to look at a request

    int ranks() const { return static_cast<int>(host_of_rank.size()); }
};

/// Runs `program` on each rank, within MPI_Init and MPI_Finalize; once in a process. All ranks are in this process, one
/// at a time, so that they may write to the same memory.
void run(const World &world, const std::function<void(int rank)> &program);

/// In a program: goes on when all are there, and has MPI make first what it makes once.
void meet();

/// In a program: lets simulated time pass.
void compute(double seconds);

/// In a program: memory that takes no place however long it is. Its bytes are not carried, only their time passes.
std::byte *folded_memory(std::int64_t bytes);

/// Of a link's bandwidth, what a message of `bytes` gets at most in SMPI's model of networks.
double share_of_bandwidth(std::int64_t bytes);

/// When the first began, and the last ended.
struct Span {
    double begin = -1, end = 0;

    void begins(double seconds) { begin = begin < 0 || seconds < begin ? seconds : begin; }
    void ends(double seconds) { end = seconds > end ? seconds : end; }
    double seconds() const { return end - begin; }
};

}
