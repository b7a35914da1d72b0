// SPDX-License-Identifier: BSD-3-Clause
#include "applications/cg/irregular.hpp"

#include "applications/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <tuple>

namespace cg {
namespace {

constexpr std::int64_t rows_of_node = 3;
constexpr std::uint64_t seed = 2024;
constexpr double least_width = 3, mean_wave = 24; // how many distances of the list
constexpr double waves = 7;
constexpr double excess = 0.05; // of the diagonal over the other values

struct Step {
    int length; ///< squared
    std::int64_t nodes;
};

/// Steps to all points around within 3, of those that have larger numbers, in a cube of `side`^3 points.
std::vector<Step> steps_within_3(std::int64_t side) {
    std::vector<Step> steps;
    for (int z = -3; z <= 3; ++z)
        for (int y = -3; y <= 3; ++y)
            for (int x = -3; x <= 3; ++x) {
                const int length = x * x + y * y + z * z;
                const std::int64_t nodes = (z * side + y) * side + x;
                if (length <= 9 && nodes > 0) steps.push_back({length, nodes});
            }
    return steps;
}

/// Symmetric in i and j: in (-0.75, 0.25).
double value_of(std::int64_t i, std::int64_t j) {
    const auto low = static_cast<std::uint64_t>(std::min(i, j)), high = static_cast<std::uint64_t>(std::max(i, j));
    return 0.25 - applications::fraction(applications::mixed(low ^ seed) ^ high);
}

}

Irregular::Irregular(std::int64_t rows) : rows_(rows), nodes_((rows + rows_of_node - 1) / rows_of_node) {
    // Steps within 3 points are different numbers of nodes where a side has at least 7 points.
    const auto side = std::max<std::int64_t>(7, std::llround(std::cbrt(static_cast<double>(nodes_))));
    std::vector<Step> steps = steps_within_3(side);
    std::ranges::sort(steps, {}, [](const Step &step) { return std::tuple(step.length, step.nodes); });
    for (int place = 0; const Step &step : steps) distances_.push_back({step.nodes, place++});
    std::ranges::sort(distances_, {}, &Distance::nodes);
}

int Irregular::width(std::int64_t node) const {
    const double part = static_cast<double>(node) / static_cast<double>(nodes_);
    const double wave = 1 + std::sin(2 * std::numbers::pi * waves * part);
    return static_cast<int>(least_width + mean_wave * (1 - part) * wave);
}

bool Irregular::are_coupled(std::int64_t lower, std::int64_t upper, int place) const {
    return lower >= 0 && upper < nodes_ && place < std::min(width(lower), width(upper));
}

void Irregular::add_node(std::int64_t row, std::int64_t node, Row &out) const {
    const std::int64_t end = std::min(rows_, (node + 1) * rows_of_node);
    for (std::int64_t column = node * rows_of_node; column < end; ++column) out.add(column, value_of(row, column));
}

void Irregular::set_diagonal(std::int64_t row, Row &out) const {
    double others = 0, *diagonal = nullptr;
    for (std::size_t k = 0; k < out.columns.size(); ++k) {
        if (out.columns[k] == row)
            diagonal = &out.values[k];
        else
            others += std::abs(out.values[k]);
    }
    *diagonal = others + excess;
}

void Irregular::make(std::int64_t row, Row &out) const {
    const std::int64_t node = row / rows_of_node;
    for (auto each = distances_.rbegin(); each != distances_.rend(); ++each)
        if (are_coupled(node - each->nodes, node, each->place)) add_node(row, node - each->nodes, out);
    add_node(row, node, out);
    for (const Distance &each : distances_)
        if (are_coupled(node, node + each.nodes, each.place)) add_node(row, node + each.nodes, out);
    set_diagonal(row, out);
}

}
