// SPDX-License-Identifier: BSD-3-Clause
#include "plan/distribution.hpp"

#include <numeric>

namespace nereus::plan {
namespace {

__extension__ using Wide = unsigned __int128;

/// floor(a * b / c)
std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
    return static_cast<std::int64_t>(static_cast<Wide>(a) * static_cast<Wide>(b) / static_cast<Wide>(c));
}

}

Distribution::Distribution(Shape shape, int ranks) : shape_(std::move(shape)), ranks_(ranks) {
    if (layout() == Layout::grid) grid_ = grid_of(shape_, ranks);
    if (layout() != Layout::weighted) return;
    sums_.resize(shape_.weights.size() + 1);
    std::partial_sum(shape_.weights.begin(), shape_.weights.end(), sums_.begin() + 1);
}

Distribution Distribution::at(std::vector<std::int64_t> borders) {
    Distribution cut(Layout::block, borders.back(), static_cast<int>(borders.size()) - 1);
    cut.borders_ = std::move(borders);
    return cut;
}

Distribution Distribution::with_halo(std::int64_t halo) const {
    Distribution cut = *this;
    cut.halo_ = halo;
    return cut;
}

std::int64_t Distribution::count_of(int rank) const {
    if (layout() == Layout::cyclic) return deal().count_of(rank);
    if (layout() == Layout::grid) return sides_of(rank).rows * sides_of(rank).columns;
    return range_of(rank).count();
}

MatrixSides Distribution::sides_of(int rank) const {
    return {deal_of_rows().count_of(rank / grid_.columns), deal_of_columns().count_of(rank % grid_.columns)};
}

Range Distribution::range_of(int rank) const {
    if (layout() == Layout::replicated) return {0, elements()};
    return {first_of(rank), first_of(rank + 1) + halo_};
}

std::vector<std::int64_t> Distribution::borders() const {
    std::vector<std::int64_t> borders;
    for (int rank = 0; rank <= ranks_; ++rank) borders.push_back(first_of(rank));
    return borders;
}

Range Distribution::owned_by(int rank) const {
    return {first_of(rank), first_of(rank + 1) + (rank + 1 == ranks_ ? halo_ : 0)};
}

int Distribution::rank_of(std::int64_t element) const {
    if (element >= shape_.elements) return ranks_ - 1;
    if (!borders_.empty()) return static_cast<int>(std::ranges::upper_bound(borders_, element) - borders_.begin()) - 1;
    return layout() == Layout::weighted ? rank_among_weights(element) : rank_in_blocks(element);
}

std::vector<int> Distribution::owners_of(Range range) const {
    std::vector<int> owners;
    for (std::int64_t element = range.first; element < range.end; element = owned_by(owners.back()).end)
        owners.push_back(rank_of(element));
    return owners;
}

std::vector<int> Distribution::holders_of(Range range) const {
    if (halo_ == 0) return owners_of(range);
    std::vector<int> holders;
    if (range.empty()) return holders;
    const std::int64_t reaches = range.first - halo_; // a part that ends behind it reaches the range with its halo
    for (int rank = reaches < 0 ? 0 : rank_of(reaches); rank < ranks_ && first_of(rank) < range.end; ++rank)
        holders.push_back(rank);
    return holders;
}

Spot Distribution::place_of(std::int64_t element) const {
    if (layout() == Layout::replicated) return {0, element};
    if (layout() == Layout::cyclic) return deal().spot_of(element);
    if (layout() == Layout::grid) {
        const Spot row = deal_of_rows().spot_of(element / shape_.columns);
        const Spot column = deal_of_columns().spot_of(element % shape_.columns);
        return {row.rank * grid_.columns + column.rank,
                row.place * deal_of_columns().count_of(column.rank) + column.place};
    }
    const int owner = rank_of(element);
    return {owner, element - first_of(owner)};
}

std::int64_t Distribution::first_of(int rank) const {
    if (!borders_.empty()) return borders_[static_cast<std::size_t>(rank)];
    if (layout() == Layout::weighted) return scaled(shape_.elements, weight_before(rank), weight_before(ranks_));
    return rank * (shape_.elements / ranks_) + std::min<std::int64_t>(rank, shape_.elements % ranks_);
}

std::int64_t Distribution::weight_before(int rank) const {
    const auto number = static_cast<int>(shape_.weights.size());
    return rank / number * sums_.back() + sums_[static_cast<std::size_t>(rank % number)];
}

int Distribution::rank_in_blocks(std::int64_t element) const {
    const std::int64_t small = shape_.elements / ranks_;
    const std::int64_t larger_ranks = shape_.elements % ranks_;
    const std::int64_t in_larger = larger_ranks * (small + 1);
    if (element < in_larger) return static_cast<int>(element / (small + 1));
    return static_cast<int>(larger_ranks + (element - in_larger) / small);
}

/// The last rank that begins at `element` or before: those before it that begin there too are empty.
int Distribution::rank_among_weights(std::int64_t element) const {
    int low = 0, high = ranks_;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        (first_of(middle) <= element ? low : high) = middle;
    }
    return low;
}

Done check_borders(const std::vector<std::int64_t> &borders) {
    if (borders.size() < 2)
        return failed(NEREUS_ERR_RANGE, "borders = " + std::to_string(borders.size()) +
                                            " numbers: needed are those of 1 rank and the end");
    for (std::size_t i = 0; i < borders.size(); ++i) {
        const std::int64_t least = i == 0 ? 0 : borders[i - 1], most = i == 0 ? 0 : most_elements;
        if (borders[i] < least || borders[i] > most)
            return failed(NEREUS_ERR_RANGE, "borders[" + std::to_string(i) + "] = " + std::to_string(borders[i]) +
                                                ": allowed is " + std::to_string(least) + " .. " +
                                                std::to_string(most));
    }
    return {};
}

}
