// SPDX-License-Identifier: BSD-3-Clause
// What the plan of a resize costs one rank of a huge job: time, pieces, and bytes of memory.
//
// Usage: plan_bench [RANKS]     RANKS ranks of each job are asked, 20000 by default
// Ends with 1 when a plan takes more memory than its own pieces explain.
#include "base/clock.hpp"
#include "plan/move.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {
std::size_t allocated = 0; // bytes since it was set to zero
}

void *operator new(std::size_t bytes) {
    allocated += bytes;
    if (void *memory = std::malloc(std::max<std::size_t>(bytes, 1))) return memory;
    throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

namespace nereus::plan {
namespace {

struct Cost {
    double seconds;
    std::size_t pieces, bytes;
};

constexpr std::int64_t elements = 4'000'000'007; // divides by no number of ranks here
constexpr std::size_t growth = 4;                // a list that doubles has allocated fewer than 4 times its length
constexpr std::size_t bytes_of_piece = sizeof(Piece) + sizeof(Strip) + sizeof(Run);

Cost cost_of(const Sizes &sizes, const Place &place) {
    allocated = 0;
    const Stopwatch watch;
    const Move move = move_of(Layout::block, elements, sizes, place);
    const double seconds = watch.seconds();
    return {seconds, move.sends.size() + move.receives.size() + 1, allocated};
}

/// Ranks that are spread over the job; with Merge a rank may be source and drain.
Place place_of(const Sizes &sizes, std::int64_t index, std::int64_t asked) {
    const std::int64_t all = std::max(sizes.sources, sizes.drains);
    const int rank = static_cast<int>(index * (all - 1) / std::max<std::int64_t>(asked - 1, 1));
    Place place;
    if (rank < sizes.sources) place.source = rank;
    if (rank < sizes.drains) place.drain = rank;
    return place;
}

/// @return whether each rank's memory is that of its own pieces
bool print_job(const Sizes &sizes, int asked) {
    std::vector<Cost> costs;
    for (int i = 0; i < asked; ++i) costs.push_back(cost_of(sizes, place_of(sizes, i, asked)));
    auto most = [&](auto field) { return *std::ranges::max_element(costs, {}, field).*field; };
    const bool fits = std::ranges::all_of(
        costs, [](const Cost &cost) { return cost.bytes <= growth * bytes_of_piece * (cost.pieces + 1); });
    std::ranges::sort(costs, {}, &Cost::seconds);
    std::printf("%9d -> %9d  %10.3f  %10.3f  %11zu  %11zu  %s\n", sizes.sources, sizes.drains,
                costs[costs.size() / 2].seconds * 1e6, costs.back().seconds * 1e6, most(&Cost::pieces),
                most(&Cost::bytes), fits ? "" : "more than its pieces need");
    return fits;
}

void print_least(const Sizes &sizes) {
    const Stopwatch watch;
    const auto least = static_cast<double>(least_moved(Layout::block, elements, sizes));
    const double seconds = watch.seconds();
    std::printf("%9d -> %9d  %10.3f ms  %5.1f %% of the elements\n", sizes.sources, sizes.drains, seconds * 1e3,
                least / static_cast<double>(elements) * 100);
}

int run(int asked) {
    const Sizes jobs[] = {{1000000, 1000000, false}, {1000000, 999983, false}, {1000, 1000000, false},
                          {1000000, 1000, false},    {500000, 1000000, false}, {1000000, 1000000, true}};
    std::printf(
        "plan of one rank, %d ranks asked\n  sources ->    drains   median us    worst us  most pieces   most bytes\n",
        asked);
    bool all_fit = true;
    for (const Sizes &sizes : jobs) all_fit = print_job(sizes, asked) && all_fit;
    std::printf("least possible movement, which rank 0 reports\n");
    for (const Sizes &sizes : jobs) print_least(sizes);
    return all_fit ? 0 : 1;
}

}
}

int main(int argc, char **argv) {
    const int asked = argc > 1 ? std::atoi(argv[1]) : 20000;
    if (argc > 2 || asked < 1) {
        std::fprintf(stderr, "nereus: plan_bench RANKS = %s: allowed is one number from 1\n", argv[argc - 1]);
        return 2;
    }
    return nereus::plan::run(asked);
}
