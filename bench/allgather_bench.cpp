// SPDX-License-Identifier: BSD-3-Clause
// How long calls of MPI_Allgatherv take, alone: Martín-Álvarez et al. 2024, section 5.3, Table 1.
//
// Usage: mpiexec -n RANKS allgather_bench BYTES CALLS
// BYTES are those of all ranks together, cut into blocks. A tenth of the calls comes first and is not timed. Rank 0
// prints a JSON object: the time of the slowest rank for all calls.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace {

constexpr int most_bytes = 2000000000, most_calls = 1000000;

struct Block {
    int count, first;
};

Block block_of(int bytes, int rank, int ranks) {
    const int left = bytes % ranks;
    return {bytes / ranks + (rank < left ? 1 : 0), rank * (bytes / ranks) + std::min(rank, left)};
}

double seconds_of(int bytes, int calls) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<int> counts, firsts;
    for (int each = 0; each < ranks; ++each) {
        const Block block = block_of(bytes, each, ranks);
        counts.push_back(block.count);
        firsts.push_back(block.first);
    }
    const int count = counts[static_cast<std::size_t>(rank)];
    std::vector<char> own(static_cast<std::size_t>(count), 1), whole(static_cast<std::size_t>(bytes));
    auto gather = [&](int times) {
        for (int i = 0; i < times; ++i)
            MPI_Allgatherv(own.data(), count, MPI_CHAR, whole.data(), counts.data(), firsts.data(), MPI_CHAR,
                           MPI_COMM_WORLD);
    };
    gather(std::max(1, calls / 10));
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    gather(calls);
    double seconds = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

/// 0 where `text` is no number from 1 to `most`.
int number_in(const char *text, int most) {
    int number = 0;
    const char *end = text + std::strlen(text);
    const auto read = std::from_chars(text, end, number);
    return read.ec == std::errc() && read.ptr == end && number >= 1 && number <= most ? number : 0;
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const int bytes = argc == 3 ? number_in(argv[1], most_bytes) : 0;
    const int calls = argc == 3 ? number_in(argv[2], most_calls) : 0;
    int rank = 0, ranks = 1, code = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (bytes == 0 || calls == 0) {
        if (rank == 0)
            std::fprintf(stderr, "nereus: usage: allgather_bench BYTES CALLS, BYTES 1 .. %d, CALLS 1 .. %d\n",
                         most_bytes, most_calls);
        code = 2;
    } else {
        const double seconds = seconds_of(bytes, calls);
        const nlohmann::json line{{"ranks", ranks}, {"bytes", bytes}, {"calls", calls}, {"seconds", seconds}};
        if (rank == 0) std::printf("%s\n", line.dump().c_str());
    }
    MPI_Finalize();
    return code;
}
