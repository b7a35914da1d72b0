// SPDX-License-Identifier: BSD-3-Clause
#include "plan/other_layout.hpp"

#include "plan/matrix.hpp"

#include <utility>

namespace nereus::plan {
namespace {

/// Of a layout that is no matrix.
RegularBlocks blocks_of(const Distribution &distribution, int rank) {
    if (distribution.layout() == Layout::cyclic) return distribution.deal().blocks_of(rank);
    return RegularBlocks::one(distribution.range_of(rank));
}

struct Rectangle {
    Range rows, columns;
};

/// A range of a matrix that is numbered row by row: the rest of a row, whole rows, and the beginning of one.
std::vector<Rectangle> rectangles_of(Range range, std::int64_t width) {
    std::vector<Rectangle> all;
    const auto add = [&](Range rows, Range columns) {
        if (!rows.empty() && !columns.empty()) all.push_back({rows, columns});
    };
    const std::int64_t first = range.first / width, last = range.end / width;
    const std::int64_t in_first = range.first % width, in_last = range.end % width;
    if (first == last) {
        add({first, first + 1}, {in_first, in_last});
        return all;
    }
    if (in_first > 0) add({first, first + 1}, {in_first, width});
    add({first + (in_first > 0 ? 1 : 0), last}, {0, width});
    add({last, last + 1}, {0, in_last});
    return all;
}

/// What rank `rank` of `matrix` has of a rectangle that lies in a part as if in whole rows, its first element at
/// `place`: as if from the part to the rank.
std::vector<Strip> shared_with_matrix(const Rectangle &rectangle, std::int64_t place, const Distribution &matrix,
                                      int rank) {
    const BlockCyclic rows = matrix.deal_of_rows(), columns = matrix.deal_of_columns();
    const int column = rank % columns.ranks;
    const auto of_rows = shared_elements(RegularBlocks::one(rectangle.rows), rows.blocks_of(rank / columns.ranks));
    const auto of_columns = shared_elements(RegularBlocks::one(rectangle.columns), columns.blocks_of(column));
    if (of_rows.empty() || of_columns.empty()) return {};
    std::vector<Strip> strips = crossed(of_rows, of_columns, {columns.elements, columns.count_of(column)});
    for (Strip &strip : strips)
        for (Run &run : strip.runs) run.from += place;
    return strips;
}

/// Single runs join those before them: there may be many.
void append(std::vector<Strip> &all, std::vector<Strip> strips) {
    for (Strip &strip : strips)
        if (!all.empty() && all.back().repeats == 1 && strip.repeats == 1)
            all.back().runs.insert(all.back().runs.end(), strip.runs.begin(), strip.runs.end());
        else
            all.push_back(std::move(strip));
}

/// Of a rank that has whole rows: blocks of them are blocks of elements.
RegularBlocks in_elements(const RegularBlocks &rows, std::int64_t width) {
    return {rows.first * width, rows.block * width, rows.step * width, rows.end * width};
}

std::vector<Strip> shared_with_matrix(const RegularBlocks &blocks, const Distribution &matrix, int rank) {
    const std::int64_t width = matrix.deal_of_columns().elements;
    if (matrix.deal_of_columns().ranks == 1)
        return shared_elements(blocks, in_elements(matrix.deal_of_rows().blocks_of(rank), width));
    std::vector<Strip> all;
    for (const Range block : blocks.ranges())
        for (const Rectangle &rectangle : rectangles_of(block, width)) {
            const std::int64_t first = rectangle.rows.first * width + rectangle.columns.first;
            append(all, shared_with_matrix(rectangle, blocks.place_of(first), matrix, rank));
        }
    return all;
}

std::vector<Strip> turned_round(std::vector<Strip> strips) {
    for (Strip &strip : strips) {
        std::swap(strip.from_step, strip.to_step);
        for (Run &run : strip.runs) std::swap(run.from, run.to);
    }
    return strips;
}

}

std::vector<Strip> shared_elements(const Distribution &before, int source, const Distribution &after, int drain) {
    if (before.elements() == 0) return {};
    if (after.layout() == Layout::grid) return shared_with_matrix(blocks_of(before, source), after, drain);
    if (before.layout() == Layout::grid)
        return turned_round(shared_with_matrix(blocks_of(after, drain), before, source));
    return shared_elements(blocks_of(before, source), blocks_of(after, drain));
}

}
