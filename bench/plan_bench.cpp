// SPDX-License-Identifier: BSD-3-Clause
// What the plan of a resize costs one rank of a huge job: time, pieces, and bytes of memory; and the choice of
// survivors.
//
// Usage: plan_bench [RANKS]     RANKS ranks of each job are asked, 20000 by default
// Ends with 1 when a plan takes more memory than its own pieces explain.
#include "base/clock.hpp"
#include "plan/move.hpp"
#include "plan/survivors.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {
std::size_t allocated = 0; // bytes since it was set to zero
}

// Not inlined: where GCC sees free() of what it takes for the library's own new, it warns.
[[gnu::noinline]] void *operator new(std::size_t bytes) {
    allocated += bytes;
    if (void *memory = std::malloc(std::max<std::size_t>(bytes, 1))) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

namespace nereus::plan {
namespace {

struct Cost {
    double seconds;
    std::size_t pieces, words, bytes;
};

constexpr std::int64_t elements = 4'000'000'007; // divides by no number of ranks here
constexpr std::size_t growth = 4;                // a list that doubles has allocated fewer than 4 times its length

std::size_t bytes_of(const Cost &cost) {
    return cost.pieces * (sizeof(Piece) + sizeof(Shared) + sizeof(Run)) + cost.words * sizeof(Strip);
}

Cost cost_of(const Shape &shape, const Sizes &sizes, const Place &place) {
    const Distribution before{shape, sizes.sources},
        after{shape, sizes.drains}; // at registration, once for all resizes
    allocated = 0;
    const Stopwatch watch;
    const Move move = move_of(before, after, sizes, place);
    Cost cost{watch.seconds(), move.sends.size() + move.receives.size() + 1, 1, allocated};
    const auto add = [&](const std::vector<Strip> &strips) {
        for (const Strip &strip : strips) cost.words += 1 + strip.runs.size();
    };
    for (const auto *pieces : {&move.sends, &move.receives})
        for (const Piece &piece : *pieces) add(piece.strips);
    for (int side = 0; side < 2; ++side) add(move.stays); // a process finds it as a source and as a drain
    return cost;
}

/// Ranks that are spread over the job; with Merge a rank may be source and drain.
Place place_of(const Sizes &sizes, std::int64_t index, std::int64_t asked) {
    const std::int64_t all = std::max(sizes.sources, sizes.drains);
    const int rank = static_cast<int>(index * (all - 1) / std::max<std::int64_t>(asked - 1, 1));
    Place place;
    if (rank < sizes.sources) place.source = rank;
    if (rank < sizes.drains && (!sizes.anew || !place.source)) place.drain = rank;
    return place;
}

struct Job {
    const char *layout;
    Shape shape;
    Sizes sizes;
};

/// @return whether each rank's memory is that of its own pieces
bool print_job(const Job &job, int asked) {
    std::vector<Cost> costs;
    for (int i = 0; i < asked; ++i) costs.push_back(cost_of(job.shape, job.sizes, place_of(job.sizes, i, asked)));
    auto most = [&](auto field) { return *std::ranges::max_element(costs, {}, field).*field; };
    const bool fits =
        std::ranges::all_of(costs, [](const Cost &cost) { return cost.bytes <= growth * bytes_of(cost); });
    std::ranges::sort(costs, {}, &Cost::seconds);
    std::printf("%-9s %9d -> %9d  %10.3f  %10.3f  %11zu  %10zu  %11zu  %s\n", job.layout, job.sizes.sources,
                job.sizes.drains, costs[costs.size() / 2].seconds * 1e6, costs.back().seconds * 1e6,
                most(&Cost::pieces), most(&Cost::words), most(&Cost::bytes), fits ? "" : "more than its pieces need");
    return fits;
}

std::vector<LocalSizes> held_as(const std::vector<Shape> &shapes, const Sizes &sizes) {
    std::vector<LocalSizes> arrays;
    for (const Shape &shape : shapes) arrays.push_back({{shape, sizes.sources}, {shape, sizes.drains}, 8});
    return arrays;
}

void print_least(const char *name, const std::vector<Shape> &shapes, const Sizes &sizes) {
    const std::vector<LocalSizes> arrays = held_as(shapes, sizes);
    double all = 0;
    for (const Shape &shape : shapes) all += static_cast<double>(shape.elements * 8);
    const Stopwatch watch;
    const auto least = static_cast<double>(least_moved(arrays, sizes));
    std::printf("%-21s %9d -> %9d  %10.3f ms  %5.1f %% of the bytes\n", name, sizes.sources, sizes.drains,
                watch.seconds() * 1e3, least / all * 100);
}

/// Worlds of `ranks_of_world` consecutive ranks, as after growing host by host.
void print_choice(const char *name, const std::vector<Shape> &shapes, const Sizes &sizes, int ranks_of_world) {
    std::vector<World> worlds;
    for (int rank = 0; rank < sizes.sources; ++rank) worlds.push_back(static_cast<World>(rank / ranks_of_world));
    const std::vector<LocalSizes> arrays = held_as(shapes, sizes);
    const Stopwatch watch;
    const Selection choice = choose_survivors(sizes.sources, sizes.drains, arrays, Survivors::automatic, worlds);
    std::printf("%-21s %9d -> %9d  %10.3f ms  worlds of %d, %s\n", name, sizes.sources, sizes.drains,
                watch.seconds() * 1e3, ranks_of_world, choice.best ? "proved the best" : "not proved the best");
}

int run(int asked) {
    const Shape block{Layout::block, elements}, small_block{Layout::block, 1'000'003};
    const Shape weighted{Layout::weighted, elements, {3, 1, 2, 1}}, cyclic{Layout::cyclic, elements, {}, 64};
    const Shape matrix{Layout::grid, 10'000'000'000, {}, 1, 100'000, 100'000, 64, 64};
    const Job jobs[] = {{"block", block, {1000000, 1000000, false}},
                        {"block", block, {1000000, 999983, false}},
                        {"block", block, {1000, 1000000, false}},
                        {"block", block, {1000000, 1000, false}},
                        {"block", block, {500000, 1000000, false}},
                        {"block", block, {1000000, 1000000, true}},
                        {"weighted", weighted, {1000000, 999983, false}},
                        {"cyclic", cyclic, {1000, 1500, false}},
                        {"cyclic", cyclic, {1000000, 999983, false}},
                        {"grid", matrix, {4, 8, false}},
                        {"grid", matrix, {1024, 2048, false}}};
    std::printf("plan of one rank, %d ranks asked\nlayout      sources ->    drains   median us    worst us  "
                "most pieces  most words   most bytes\n",
                asked);
    bool all_fit = true;
    for (const Job &job : jobs)
        all_fit = print_job(job, job.shape.layout == Layout::grid ? std::min(asked, 20) : asked) && all_fit;
    std::printf("least possible movement, which rank 0 reports\n");
    for (const Job &job : jobs)
        if (job.shape.layout != Layout::grid) print_least(job.layout, {job.shape}, job.sizes);
    print_least("block of two lengths", {block, small_block}, {100000, 150000, false});
    print_least("block and weighted", {block, weighted}, {100000, 150000, false});
    print_least("block and weighted", {block, weighted}, {1000, 1500, false});
    print_least("block and cyclic", {block, cyclic}, {500, 300, false});
    print_least("grid", {matrix}, {1024, 2048, false});
    std::printf("choice of survivors, automatic\n");
    for (const int ranks_of_world : {1, 16, 128}) {
        print_choice("block", {block}, {1024, 512, false}, ranks_of_world);
        print_choice("block", {block}, {100000, 70000, false}, ranks_of_world);
    }
    print_choice("block and weighted", {block, weighted}, {1024, 700, false}, 16);
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
