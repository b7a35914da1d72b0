// SPDX-License-Identifier: BSD-3-Clause
#include "plan/matrix.hpp"

namespace nereus::plan {
namespace {

/// Places of one row's run of columns in matrices of these widths.
Run in_line(const Run &columns, std::int64_t from_row, std::int64_t to_row, const Widths &widths) {
    return {from_row * widths.from + columns.from, to_row * widths.to + columns.to, columns.count};
}

std::int64_t number_of_runs(const std::vector<Strip> &columns) {
    std::int64_t sum = 0;
    for (const Strip &strip : columns) sum += strip.repeats * static_cast<std::int64_t>(strip.runs.size());
    return sum;
}

/// Every run of the columns of one row.
std::vector<Run> runs_of(const std::vector<Strip> &columns) {
    std::vector<Run> runs;
    runs.reserve(static_cast<std::size_t>(number_of_runs(columns)));
    for (const Strip &strip : columns)
        for (std::int64_t i = 0; i < strip.repeats; ++i)
            for (const Run &run : strip.runs)
                runs.push_back({run.from + i * strip.from_step, run.to + i * strip.to_step, run.count});
    return runs;
}

/// Both matrices are as wide as the shared columns: rows that touch are one run.
Strip whole_rows(const Strip &rows, const Widths &widths) {
    const std::int64_t from_step = rows.from_step * widths.from, to_step = rows.to_step * widths.to;
    Strip strip{{}, rows.repeats, from_step, to_step};
    for (const Run &run : rows.runs)
        strip.runs.push_back({run.from * widths.from, run.to * widths.to, run.count * widths.from});
    return strip.runs.size() == 1 ? repeated(strip.runs.front(), rows.repeats, from_step, to_step) : strip;
}

/// Calls act(from_row, to_row) for each row of one repetition.
template <class Act> void each_row(const Strip &rows, const Act &act) {
    for (const Run &block : rows.runs)
        for (std::int64_t row = 0; row < block.count; ++row) act(block.from + row, block.to + row);
}

/// The runs of one repetition of rows come again with the repetitions.
Strip by_blocks(const Strip &rows, const std::vector<Strip> &columns, const Widths &widths) {
    Strip strip{{}, rows.repeats, rows.from_step * widths.from, rows.to_step * widths.to};
    const std::vector<Run> line = runs_of(columns);
    strip.runs.reserve(line.size() * static_cast<std::size_t>(rows.count_of_one()));
    each_row(rows, [&](std::int64_t from, std::int64_t to) {
        for (const Run &run : line) strip.runs.push_back(in_line(run, from, to, widths));
    });
    return strip;
}

/// In each block of rows, the runs of the first row come again with the rows.
void add_by_rows(std::vector<Strip> &strips, const Strip &rows, const std::vector<Strip> &columns,
                 const Widths &widths) {
    const std::vector<Run> line = runs_of(columns);
    for (std::int64_t i = 0; i < rows.repeats; ++i)
        for (const Run &block : rows.runs) {
            Strip strip{{}, block.count, widths.from, widths.to};
            for (const Run &run : line)
                strip.runs.push_back(
                    in_line(run, block.from + i * rows.from_step, block.to + i * rows.to_step, widths));
            strips.push_back(std::move(strip));
        }
}

/// In each row, blocks of columns come again.
void add_by_columns(std::vector<Strip> &strips, const Strip &rows, const std::vector<Strip> &columns,
                    const Widths &widths) {
    for (std::int64_t i = 0; i < rows.repeats; ++i)
        each_row(rows, [&](std::int64_t from, std::int64_t to) {
            for (const Strip &strip : columns) {
                strips.push_back({{}, strip.repeats, strip.from_step, strip.to_step});
                for (const Run &run : strip.runs)
                    strips.back().runs.push_back(
                        in_line(run, from + i * rows.from_step, to + i * rows.to_step, widths));
            }
        });
}

std::int64_t words_of(const std::vector<Strip> &strips) {
    std::int64_t words = 0;
    for (const Strip &strip : strips) words += static_cast<std::int64_t>(strip.runs.size());
    return words;
}

/// In the fewest words: blocks of rows, rows of a block and blocks of columns may be many or few.
void add_crossed(std::vector<Strip> &strips, const Strip &rows, const std::vector<Strip> &columns,
                 const Widths &widths) {
    const bool whole = columns.size() == 1 && columns.front().count() == widths.from && widths.from == widths.to;
    if (whole) return strips.push_back(whole_rows(rows, widths));
    const std::int64_t blocks = rows.repeats * static_cast<std::int64_t>(rows.runs.size());
    const std::int64_t runs = number_of_runs(columns), words_by_rows = blocks * runs;
    const std::int64_t words_by_blocks = rows.count_of_one() * runs;
    const std::int64_t words_by_columns = rows.count() * words_of(columns);
    if (words_by_blocks <= std::min(words_by_rows, words_by_columns))
        strips.push_back(by_blocks(rows, columns, widths));
    else if (words_by_rows <= words_by_columns)
        add_by_rows(strips, rows, columns, widths);
    else
        add_by_columns(strips, rows, columns, widths);
}

/// What `rank`, a source or a drain, shares with the ranks of the other side.
std::vector<Shared> shared_by(const Distribution &before, const Distribution &after, int rank, bool is_source) {
    const auto shared_of = is_source ? drains_of : sources_of;
    const BlockCyclic columns_before = before.deal_of_columns(), columns_after = after.deal_of_columns();
    const int own_columns = is_source ? columns_before.ranks : columns_after.ranks;
    const int other_columns = is_source ? columns_after.ranks : columns_before.ranks;
    const int row = rank / own_columns, column = rank % own_columns;
    const std::vector<Shared> shared_columns = shared_of(columns_before, columns_after, column);
    std::vector<Shared> all;
    for (const Shared &rows : shared_of(before.deal_of_rows(), after.deal_of_rows(), row))
        for (const Shared &columns : shared_columns) {
            const int source = is_source ? column : columns.peer, drain = is_source ? columns.peer : column;
            all.push_back({rows.peer * other_columns + columns.peer,
                           crossed(rows.strips, columns.strips,
                                   {columns_before.count_of(source), columns_after.count_of(drain)})});
        }
    return all;
}

}

std::vector<Strip> crossed(const std::vector<Strip> &rows, const std::vector<Strip> &columns, const Widths &widths) {
    std::vector<Strip> strips;
    for (const Strip &strip : rows) add_crossed(strips, strip, columns, widths);
    return strips;
}

std::vector<Shared> drains_of_matrix(const Distribution &before, const Distribution &after, int source) {
    return shared_by(before, after, source, true);
}

std::vector<Shared> sources_of_matrix(const Distribution &before, const Distribution &after, int drain) {
    return shared_by(before, after, drain, false);
}

}
