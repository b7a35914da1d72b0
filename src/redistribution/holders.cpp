// SPDX-License-Identifier: BSD-3-Clause
#include "redistribution/holders.hpp"

#include "redistribution/c_arguments.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace nereus::redistribution {
namespace {

std::vector<int> ranks_of(const nereus_distributed &given) {
    std::vector<int> ranks(static_cast<std::size_t>(given.processes));
    if (given.ranks != nullptr)
        std::copy_n(given.ranks, ranks.size(), ranks.begin());
    else
        std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

Done check_ranks(const std::vector<int> &ranks, int size, const std::string &side) {
    std::vector<bool> taken(static_cast<std::size_t>(size), false);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::string is = side + "->ranks[" + std::to_string(i) + "] = " + std::to_string(ranks[i]);
        if (ranks[i] < 0 || ranks[i] >= size)
            return failed(NEREUS_ERR_ARGUMENT, is + ": allowed is 0 .. " + std::to_string(size - 1));
        if (taken[static_cast<std::size_t>(ranks[i])]) return failed(NEREUS_ERR_ARGUMENT, is + ": is there twice");
        taken[static_cast<std::size_t>(ranks[i])] = true;
    }
    return {};
}

}

Holders::Holders(plan::Distribution distribution, std::vector<int> ranks)
    : distribution_(std::move(distribution)), ranks_(std::move(ranks)),
      numbers_(static_cast<std::size_t>(*std::ranges::max_element(ranks_)) + 1, -1) {
    for (std::size_t number = 0; number < ranks_.size(); ++number)
        numbers_[static_cast<std::size_t>(ranks_[number])] = static_cast<int>(number);
}

Result<Holders> Holders::of(const nereus_distributed *given, std::int64_t elements, int size, const char *side) {
    const std::string name = side;
    if (given == nullptr || given->distribution == nullptr)
        return failed(NEREUS_ERR_ARGUMENT, name + (given == nullptr ? " is NULL" : "->distribution is NULL"));
    if (given->processes < 1 || given->processes > size)
        return failed(NEREUS_ERR_ARGUMENT, name + "->processes = " + std::to_string(given->processes) +
                                               ": allowed is 1 .. " + std::to_string(size));
    auto distribution = distribution_of(*given->distribution, elements, given->processes);
    if (!distribution) return failed(distribution.error().code, name + ": " + distribution.error().what);
    std::vector<int> ranks = ranks_of(*given);
    if (auto done = check_ranks(ranks, size, name); !done) return tl::unexpected(done.error());
    return Holders(std::move(*distribution), std::move(ranks));
}

std::optional<int> Holders::number_of(int rank) const {
    const auto at = static_cast<std::size_t>(rank);
    if (at >= numbers_.size() || numbers_[at] < 0) return std::nullopt;
    return numbers_[at];
}

std::int64_t Holders::count_of(int rank) const {
    const auto number = number_of(rank);
    return number ? distribution_.count_of(*number) : 0;
}

Holders Holders::transposed() const {
    const plan::Grid grid = distribution_.grid();
    std::vector<int> ranks;
    for (int column = 0; column < grid.columns; ++column)
        for (int row = 0; row < grid.rows; ++row)
            ranks.push_back(ranks_[static_cast<std::size_t>(row * grid.columns + column)]);
    plan::Shape shape = distribution_.shape();
    std::swap(shape.rows, shape.columns);
    std::swap(shape.block_rows, shape.block_columns);
    shape.grid_rows = grid.columns;
    shape.grid_columns = grid.rows;
    return {plan::Distribution(std::move(shape), distribution_.ranks()), std::move(ranks)};
}

void Holders::append_to(std::vector<std::int64_t> &words) const {
    const plan::Shape &shape = distribution_.shape();
    words.insert(words.end(), {static_cast<std::int64_t>(shape.layout), shape.elements, shape.block, shape.rows,
                               shape.columns, shape.block_rows, shape.block_columns, shape.grid_rows,
                               shape.grid_columns, static_cast<std::int64_t>(shape.weights.size())});
    words.insert(words.end(), shape.weights.begin(), shape.weights.end());
    words.push_back(static_cast<std::int64_t>(ranks_.size()));
    words.insert(words.end(), ranks_.begin(), ranks_.end());
}

}
