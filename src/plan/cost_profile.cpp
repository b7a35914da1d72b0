// SPDX-License-Identifier: BSD-3-Clause
#include "plan/cost_profile.hpp"

#include <algorithm>
#include <cmath>

namespace nereus::plan {
namespace {

constexpr std::int64_t most_cells = 2048;
/// Of the mean: rows that cost nothing once may cost something later.
constexpr double least_cost = 1e-6;

}

CostProfile::CostProfile(std::int64_t rows)
    : rows_(rows), cells_(static_cast<std::size_t>(std::clamp<std::int64_t>(rows, 1, most_cells)), 1.0) {
    add_up();
}

void CostProfile::learn(const Work &work) {
    for (std::size_t rank = 0; rank < work.seconds.size(); ++rank) {
        const auto first = static_cast<double>(work.borders[rank]), end = static_cast<double>(work.borders[rank + 1]);
        const double known = seconds_of(first, end);
        if (known > 0) scale(first, end, work.seconds[rank] / known);
    }
    add_up();
    const double least = least_cost * sums_.back() / static_cast<double>(cells_.size());
    for (double &cell : cells_) cell = std::max(cell, least);
    add_up();
}

/// Cells that a border cuts are scaled by the share that lies within.
void CostProfile::scale(double first, double end, double factor) {
    const double each = rows_in_cell();
    for (std::size_t cell = static_cast<std::size_t>(first / each); cell < cells_.size(); ++cell) {
        const double begin = static_cast<double>(cell) * each;
        if (begin >= end) break;
        const double share = std::clamp((std::min(end, begin + each) - std::max(first, begin)) / each, 0.0, 1.0);
        cells_[cell] *= 1 + share * (factor - 1);
    }
}

void CostProfile::add_up() {
    sums_.assign(1, 0.0);
    for (const double cell : cells_) sums_.push_back(sums_.back() + cell);
}

double CostProfile::seconds_up_to(double row) const {
    const double place = std::clamp(row / std::max(rows_in_cell(), 1e-300), 0.0, static_cast<double>(cells_.size()));
    const auto cell = std::min(static_cast<std::size_t>(place), cells_.size() - 1);
    return sums_[cell] + cells_[cell] * (place - static_cast<double>(cell));
}

double CostProfile::seconds_of(double first, double end) const { return seconds_up_to(end) - seconds_up_to(first); }

double CostProfile::row_after(double seconds) const {
    const auto behind = std::ranges::upper_bound(sums_, seconds);
    if (behind == sums_.end()) return static_cast<double>(rows_);
    const auto cell = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, behind - sums_.begin() - 1));
    const double within = cells_[cell] > 0 ? (seconds - sums_[cell]) / cells_[cell] : 0.0;
    return (static_cast<double>(cell) + within) * rows_in_cell();
}

}
