// SPDX-License-Identifier: BSD-3-Clause
// Arrays as they are distributed over any processes, whose elements say which they are.
#pragma once

#include "expect.hpp"

#include <nereus/nereus.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace testing_mpi {

using Bytes = std::vector<unsigned char>;

struct Side {
    nereus_distribution distribution{};
    std::vector<std::int32_t> weights{};
    std::vector<int> ranks{};

    nereus_distributed given() {
        distribution.weights = weights.data();
        distribution.weight_count = static_cast<int>(weights.size());
        return {&distribution, static_cast<int>(ranks.size()), ranks.data()};
    }
    int number_of(int rank) const {
        const auto found = std::ranges::find(ranks, rank);
        return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
    }
};

/// The same on all processes, since all are given the same seed.
class Random {
public:
    explicit Random(unsigned seed) : numbers_(seed) {}
    std::int64_t in(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(numbers_() % static_cast<std::uint64_t>(most - least + 1));
    }
    std::vector<int> some_ranks(int size) {
        std::vector<int> ranks(static_cast<std::size_t>(size));
        std::iota(ranks.begin(), ranks.end(), 0);
        for (std::size_t i = ranks.size(); i > 1; --i)
            std::swap(ranks[i - 1], ranks[static_cast<std::size_t>(in(0, static_cast<std::int64_t>(i) - 1))]);
        ranks.resize(static_cast<std::size_t>(in(1, size)));
        return ranks;
    }

private:
    std::mt19937_64 numbers_;
};

/// Of processes: the most square one, or another one that they fill.
inline void any_grid(Random &random, Side &side) {
    const auto processes = static_cast<int>(side.ranks.size());
    int rows = static_cast<int>(random.in(1, processes));
    while (processes % rows != 0) --rows;
    if (random.in(0, 2) > 0) side.distribution.grid_rows = rows;
    if (random.in(0, 2) > 0) side.distribution.grid_columns = processes / rows;
}

inline Side any_side(Random &random, nereus_layout layout, std::int64_t rows, std::int64_t columns, int size) {
    const std::int64_t elements = rows * columns;
    Side side;
    side.ranks = random.some_ranks(size);
    side.distribution.layout = layout;
    side.distribution.block = random.in(1, random.in(0, 1) == 0 ? 7 : elements + 1);
    side.distribution.rows = rows;
    side.distribution.columns = columns;
    side.distribution.block_rows = random.in(1, std::max<std::int64_t>(rows, 1));
    side.distribution.block_columns = random.in(1, 9);
    any_grid(random, side);
    for (std::int64_t i = random.in(1, 4); i > 0; --i)
        side.weights.push_back(static_cast<std::int32_t>(random.in(1, 9)));
    return side;
}

/// What byte `byte` of element `element` is.
inline unsigned char content(std::int64_t element, std::int64_t byte) {
    return static_cast<unsigned char>((element * 131 + byte * 17) % 251);
}

inline std::int64_t count_of(const Side &side, std::int64_t elements, int rank) {
    const int number = side.number_of(rank);
    if (number < 0) return 0;
    return nereus_distributed_count(&side.distribution, elements, static_cast<int>(side.ranks.size()), number);
}

/// Calls act(element, index) for each element that this process has.
template <class Act> void each_element(const Side &side, std::int64_t elements, int rank, const Act &act) {
    const int own = side.number_of(rank);
    if (own < 0) return;
    for (std::int64_t element = 0; element < elements; ++element) {
        int number = -1;
        const std::int64_t index = nereus_distributed_locate(&side.distribution, elements,
                                                             static_cast<int>(side.ranks.size()), element, &number);
        if (number == own || side.distribution.layout == NEREUS_REPLICATED) act(element, index);
    }
}

/// What of the array this process has.
template <class Number> Bytes part_of(const Side &side, std::int64_t elements, int extent, const Number &number_of) {
    const int rank = rank_in(MPI_COMM_WORLD);
    Bytes part(static_cast<std::size_t>(count_of(side, elements, rank) * extent), 0xEE);
    each_element(side, elements, rank, [&](std::int64_t element, std::int64_t index) {
        for (int byte = 0; byte < extent; ++byte)
            part[static_cast<std::size_t>(index * extent + byte)] = content(number_of(element), byte);
    });
    return part;
}

}
