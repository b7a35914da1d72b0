// SPDX-License-Identifier: BSD-3-Clause
// Elements by their places in two parts of an array, in as few words as their regularity allows.
#pragma once

#include <cstdint>
#include <vector>

namespace nereus::plan {

/// Elements in a row, by their places in a source's part and in a drain's part.
struct Run {
    std::int64_t from;
    std::int64_t to;
    std::int64_t count;
    bool operator==(const Run &) const = default;
};

/// Runs that come again at regular distances: repetition i of a run lies at from + i * from_step and to + i * to_step.
struct Strip {
    std::vector<Run> runs; ///< ascending in both, without overlap, also with their repetitions
    std::int64_t repeats = 1;
    std::int64_t from_step = 0;
    std::int64_t to_step = 0;
    bool operator==(const Strip &) const = default;

    std::int64_t count_of_one() const; ///< repetition
    std::int64_t count() const;
};

std::int64_t count_of(const std::vector<Strip> &strips);

/// Repetitions of one run; those that touch on both sides are one run.
Strip repeated(const Run &run, std::int64_t repeats, std::int64_t from_step, std::int64_t to_step);

}
