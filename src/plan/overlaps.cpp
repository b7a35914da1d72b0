// SPDX-License-Identifier: BSD-3-Clause
#include "plan/overlaps.hpp"

#include <numeric>

namespace nereus::plan {
namespace {

/// Pairs of ranks of two deals that meet, at most.
std::int64_t meetings(const BlockCyclic &before, const BlockCyclic &after) {
    const std::int64_t of_each = after.ranks / std::gcd(before.ranks, after.ranks);
    const std::int64_t blocks = before.elements / before.block + 1;
    return std::min(before.ranks * of_each, blocks);
}

/// At most; a halo that spans many ranks counts as they do.
std::int64_t number_of_pairs(const LocalSizes &array) {
    if (array.before.layout() == Layout::cyclic) return meetings(array.before.deal(), array.after.deal());
    if (array.before.layout() == Layout::grid)
        return meetings(array.before.deal_of_rows(), array.after.deal_of_rows()) *
               meetings(array.before.deal_of_columns(), array.after.deal_of_columns());
    std::int64_t pairs = array.before.ranks() + array.after.ranks();
    if (array.before.halo() == 0 && array.after.halo() == 0) return pairs;
    for (int rank = 0; rank < array.before.ranks(); ++rank) {
        const std::vector<int> drains = array.after.holders_of(array.before.range_of(rank));
        pairs += static_cast<std::int64_t>(drains.size());
    }
    return pairs;
}

void add_ranges(std::vector<Overlap> &pairs, const LocalSizes &array) {
    for (int source = 0; source < array.before.ranks(); ++source) {
        const Range has = array.before.range_of(source);
        for (const int drain : array.after.holders_of(has)) {
            const std::int64_t count = overlap(has, array.after.range_of(drain)).count();
            if (count > 0) pairs.push_back({source, drain, count * array.extent});
        }
    }
}

/// Pairs with counts of elements in place of bytes.
std::vector<Overlap> pairs_of(const BlockCyclic &before, const BlockCyclic &after) {
    std::vector<Overlap> pairs;
    for (int source = 0; source < before.ranks; ++source)
        for (const Shared &shared : drains_of(before, after, source))
            pairs.push_back({source, shared.peer, count_of(shared.strips)});
    return pairs;
}

void add_deal(std::vector<Overlap> &pairs, const LocalSizes &array) {
    for (const Overlap &pair : pairs_of(array.before.deal(), array.after.deal()))
        pairs.push_back({pair.source, pair.drain, pair.bytes * array.extent});
}

void add_matrix(std::vector<Overlap> &pairs, const LocalSizes &array) {
    const BlockCyclic before = array.before.deal_of_columns(), after = array.after.deal_of_columns();
    const std::vector<Overlap> columns = pairs_of(before, after);
    for (const Overlap &row : pairs_of(array.before.deal_of_rows(), array.after.deal_of_rows()))
        for (const Overlap &column : columns)
            pairs.push_back({row.source * before.ranks + column.source, row.drain * after.ranks + column.drain,
                             row.bytes * column.bytes * array.extent});
}

void add(std::vector<Overlap> &pairs, const LocalSizes &array) {
    if (array.before.layout() == Layout::cyclic) return add_deal(pairs, array);
    if (array.before.layout() == Layout::grid) return add_matrix(pairs, array);
    add_ranges(pairs, array);
}

/// In order, and each pair once.
void unite(std::vector<Overlap> &pairs) {
    const auto numbers = [](const Overlap &pair) { return std::pair(pair.source, pair.drain); };
    if (std::ranges::is_sorted(pairs, std::less_equal<>(), numbers)) return;
    std::ranges::sort(pairs, {}, numbers);
    std::size_t united = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (i > 0 && numbers(pairs[united - 1]) == numbers(pairs[i]))
            pairs[united - 1].bytes += pairs[i].bytes;
        else
            pairs[united++] = pairs[i];
    }
    pairs.resize(united);
}

}

Overlaps overlaps_of(const std::vector<LocalSizes> &arrays, std::int64_t most_pairs) {
    Overlaps found{{}, true};
    for (const LocalSizes &array : arrays) {
        if (array.before.layout() == Layout::replicated || array.extent == 0) continue;
        if (number_of_pairs(array) > most_pairs)
            found.all = false;
        else
            add(found.pairs, array);
    }
    unite(found.pairs);
    return found;
}

}
