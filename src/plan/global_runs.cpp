// SPDX-License-Identifier: BSD-3-Clause
#include "plan/global_runs.hpp"

#include <algorithm>

namespace nereus::plan {
namespace {

void add(std::vector<GlobalRun> &runs, const GlobalRun &run) {
    if (run.count <= 0) return;
    if (!runs.empty() && runs.back().first + runs.back().count == run.first &&
        runs.back().place + runs.back().count == run.place)
        runs.back().count += run.count;
    else
        runs.push_back(run);
}

/// Of blocks that are dealt out in turn.
std::vector<GlobalRun> dealt_runs(const BlockCyclic &deal, int rank, Range range) {
    std::vector<GlobalRun> runs;
    if (range.empty()) return runs;
    const std::int64_t block_of_first = range.first / deal.block;
    const std::int64_t turn = block_of_first / deal.ranks + (block_of_first % deal.ranks > rank ? 1 : 0);
    const std::int64_t last_block = (range.end - 1) / deal.block;
    std::int64_t place = turn * deal.block;
    for (std::int64_t block = turn * deal.ranks + rank; block <= last_block; block += deal.ranks) {
        const std::int64_t first = block * deal.block;
        const Range whole{first, first + std::min(deal.block, deal.elements - first)};
        const Range part = overlap(whole, range);
        add(runs, {part.first, place + part.first - first, part.count()});
        place += deal.block;
    }
    return runs;
}

std::vector<GlobalRun> grid_runs(const Distribution &distribution, int rank, Range range) {
    std::vector<GlobalRun> runs;
    if (range.empty()) return runs;
    const BlockCyclic rows = distribution.deal_of_rows(), columns = distribution.deal_of_columns();
    const int column = rank % columns.ranks;
    const std::int64_t width = columns.elements, own_width = columns.count_of(column);
    const Range lines{range.first / width, (range.end - 1) / width + 1};
    for (const GlobalRun &own : dealt_runs(rows, rank / columns.ranks, lines))
        for (std::int64_t i = 0; i < own.count; ++i) {
            const std::int64_t line = (own.first + i) * width;
            const Range part = overlap({line, line + width}, range);
            for (const GlobalRun &run : dealt_runs(columns, column, {part.first - line, part.end - line}))
                add(runs, {line + run.first, (own.place + i) * own_width + run.place, run.count});
        }
    return runs;
}

}

std::vector<GlobalRun> global_runs(const Distribution &distribution, int rank, Range range) {
    if (distribution.layout() == Layout::cyclic) return dealt_runs(distribution.deal(), rank, range);
    if (distribution.layout() == Layout::grid) return grid_runs(distribution, rank, range);
    const Range whole = distribution.range_of(rank), part = overlap(whole, range);
    std::vector<GlobalRun> runs;
    add(runs, {part.first, part.first - whole.first, part.count()});
    return runs;
}

}
