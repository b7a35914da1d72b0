// SPDX-License-Identifier: BSD-3-Clause
// What the matrix of whole jobs is made of: ways to resize, sets of arrays, and walks from size to size.
#pragma once

#include "known_array.hpp"

#include "base/methods_table.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace testing_mpi {

constexpr int job_sizes[] = {1, 2, 3, 4, 5, 7, 8};

struct ResizeWay {
    enum nereus_process_method process;
    enum nereus_transfer_method transfer;
    enum nereus_transfer_strategy strategy;

    bool one_sided() const { return nereus::one_sided_methods[static_cast<std::size_t>(transfer)]; }
    /// MPI has no windows over an inter-communicator, and sources do not see when they were read.
    bool is_refused() const {
        return one_sided() && (process == NEREUS_BASELINE_INTER || strategy == NEREUS_NONBLOCKING);
    }
    nereus_resize_options options(nereus_job *job) const {
        nereus_resize_options options;
        expect(nereus_resize_options_init(job, &options) == NEREUS_OK, "options have defaults");
        options.process_method = process;
        options.transfer_method = transfer;
        options.transfer_strategy = strategy;
        return options;
    }
    std::string text() const {
        namespace words = nereus::words;
        return words::process_methods[process] + " " + words::transfer_methods[transfer] + " " +
               words::transfer_strategies[strategy];
    }
};

/// All ways, or those that are refused.
inline std::vector<ResizeWay> resize_ways(bool refused) {
    std::vector<ResizeWay> all;
    for (int process = 0; process < 3; ++process)
        for (int transfer = 0; transfer < NEREUS_TRANSFER_AUTO; ++transfer)
            for (int strategy = 0; strategy < NEREUS_STRATEGY_AUTO; ++strategy) {
                const ResizeWay way{static_cast<enum nereus_process_method>(process),
                                    static_cast<enum nereus_transfer_method>(transfer),
                                    static_cast<enum nereus_transfer_strategy>(strategy)};
                if (way.is_refused() == refused) all.push_back(way);
            }
    return all;
}

/// Every layout with every extent, count and kind: none, one, fewer than ranks, and a prime number of elements, in a
/// grid primes both ways.
inline std::vector<KnownArray> all_arrays() {
    struct Matrix {
        std::int64_t rows, columns;
    };
    constexpr Matrix matrices[] = {{0, 0}, {1, 1}, {1, 2}, {23, 29}}, rows_only[] = {{0, 1}, {1, 1}, {2, 1}, {1009, 1}};
    std::vector<KnownArray> all;
    for (int way = 0; way < ways_to_cut; ++way)
        for (const std::int64_t extent : {1, 3, 8, 24})
            for (int count = 0; count < 4; ++count)
                for (const auto kind : {NEREUS_CONSTANT, NEREUS_VARIABLE}) {
                    const auto [rows, columns] =
                        static_cast<Way>(way) == Way::grid ? matrices[count] : rows_only[count];
                    all.push_back({static_cast<Way>(way), extent, rows, columns, kind});
                }
    return all;
}

/// The arrays dealt out in sets, in an order that the seed does not change: each array is in one of `sets_of_arrays`.
constexpr std::size_t sets_of_arrays = 16;
inline std::vector<KnownArray> set_of_arrays(std::size_t number) {
    std::vector<KnownArray> all = all_arrays(), set;
    std::mt19937_64 random(20261122);
    for (std::size_t i = all.size() - 1; i > 0; --i) std::swap(all[i], all[random() % (i + 1)]);
    for (std::size_t i = number % sets_of_arrays; i < all.size(); i += sets_of_arrays) set.push_back(all[i]);
    return set;
}

struct JobResize {
    ResizeWay way;
    int ranks;
};

/// `resizes` at random, none of them to the size that the job has.
inline std::vector<JobResize> random_walk(std::uint64_t seed, std::size_t resizes, int ranks) {
    std::mt19937_64 random(seed);
    const std::vector<ResizeWay> ways = resize_ways(false);
    std::vector<JobResize> walk;
    while (walk.size() < resizes) {
        const int next = job_sizes[random() % std::size(job_sizes)];
        if (next == ranks) continue;
        walk.push_back({ways[random() % ways.size()], ranks = next});
    }
    return walk;
}

/// One way, from each size to that which is `distance` further in the ring of sizes, beginning and ending at the first.
/// Their number, 7, is a prime: every distance comes by all sizes, and all distances together make all pairs.
inline std::vector<JobResize> round_of_sizes(const ResizeWay &way, std::size_t distance) {
    constexpr std::size_t number = std::size(job_sizes);
    std::vector<JobResize> walk;
    for (std::size_t i = 1; i <= number; ++i) walk.push_back({way, job_sizes[i * distance % number]});
    return walk;
}

}
