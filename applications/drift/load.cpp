// SPDX-License-Identifier: BSD-3-Clause
#include "applications/drift/load.hpp"

#include <algorithm>
#include <cmath>

namespace drift {
namespace {

double overlap(double first, double end, double other_first, double other_end) {
    return std::max(0.0, std::min(end, other_end) - std::max(first, other_first));
}

}

double Load::slowness_of(int rank) const {
    const auto index = static_cast<std::size_t>(rank);
    return index < slowness.size() ? slowness[index] : 1.0;
}

double Load::seconds_of(std::int64_t first, std::int64_t end, std::int64_t iteration, int rank) const {
    const auto all = static_cast<double>(rows), from = static_cast<double>(first), to = static_cast<double>(end);
    const double dear = dear_share * all;
    const double begin = std::fmod(rows_per_iteration * static_cast<double>(iteration), all);
    const double dear_here =
        overlap(from, to, begin, begin + dear) + overlap(from, to, begin - all, begin - all + dear);
    const double cost = (to - from) + (dear_factor - 1) * dear_here;
    return seconds * cost / all * slowness_of(rank);
}

double Load::ideal_seconds(std::int64_t iteration, int ranks) const {
    double speed = 0; // of all ranks
    for (int rank = 0; rank < ranks; ++rank) speed += 1 / slowness_of(rank);
    return seconds_of(0, rows, iteration, static_cast<int>(slowness.size())) / speed;
}

}
