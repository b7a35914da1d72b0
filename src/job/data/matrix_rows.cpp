// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/matrix_rows.hpp"

#include "mpi/share.hpp"

#include <algorithm>
#include <functional>

namespace nereus::job {
namespace {

using Borders = std::vector<std::int64_t>;

std::string columns_of(const std::string &name) { return name + "/columns"; }
std::string values_of(const std::string &name) { return name + "/values"; }

/// A matrix that was registered to its end.
struct Matrix {
    const Entry &starts;
    Entry &columns, &values;
};

std::vector<Matrix> matrices_in(Registry &registry) {
    std::vector<Matrix> all;
    for (const Entry &entry : registry.entries()) {
        Entry *columns = registry.find(columns_of(entry.is.name)), *values = registry.find(values_of(entry.is.name));
        if (entry.is.halo > 0 && columns != nullptr && values != nullptr) all.push_back({entry, *columns, *values});
    }
    return all;
}

const std::int64_t *starts_of(const Entry &entry) { return static_cast<const std::int64_t *>(entry.data); }

plan::Range rows_at(const Entry &starts, int ranks, int rank) {
    const plan::Range part = starts.before(ranks).range_of(rank);
    return {part.first, part.end - starts.is.halo};
}

Done wrong_start(const Entry &entry, std::int64_t row, std::int64_t start, const std::string &wanted) {
    return failed(NEREUS_ERR_MISMATCH, "matrix \"" + entry.is.name + "\": row " + std::to_string(row) +
                                           " starts at nonzero " + std::to_string(start) + ": " + wanted);
}

/// Of this source's `rows`, which have `nonzeros`.
Done check_starts(const Entry &entry, plan::Range rows, plan::Range nonzeros) {
    const std::int64_t *starts = starts_of(entry), *end = starts + rows.count();
    if (*starts != nonzeros.first)
        return wrong_start(entry, rows.first, *starts, "the rows before have " + std::to_string(nonzeros.first));
    const std::int64_t *falls = std::adjacent_find(starts, end + 1, std::greater<>());
    if (falls != end + 1)
        return wrong_start(entry, rows.first + (falls + 1 - starts), falls[1],
                           "the row before starts at " + std::to_string(*falls));
    if (*end != nonzeros.end)
        return wrong_start(entry, rows.end, *end, "up to there " + std::to_string(nonzeros.end) + " were registered");
    return {};
}

Done check_all(const std::vector<Matrix> &matrices, int ranks, int rank) {
    for (const Matrix &matrix : matrices) {
        const plan::Range nonzeros = matrix.columns.before(ranks).range_of(rank);
        if (auto done = check_starts(matrix.starts, rows_at(matrix.starts, ranks, rank), nonzeros); !done) return done;
    }
    return {};
}

/// What this source knows of the starts of the drains' first rows, and of the end; -1 for others.
Borders known_borders(const Entry &entry, plan::Range rows, int drains) {
    Borders borders = entry.after(drains).borders();
    for (std::int64_t &border : borders) {
        const std::int64_t row = border;
        border = row >= rows.first && row <= rows.end ? starts_of(entry)[row - rows.first] : -1;
    }
    return borders;
}

}

std::int64_t MatrixParts::most_nonzeros() const {
    return std::min(plan::most_elements, INT64_MAX / std::max(columns.extent, values.extent));
}

MatrixParts parts_of_matrix(Description starts, Description values) {
    starts.halo = 1;
    values.rows_of = starts.name;
    Description columns = values;
    columns.constant = true;
    columns.extent = sizeof(std::int64_t);
    columns.type = starts.type;
    columns.name = columns_of(starts.name);
    values.name = values_of(starts.name);
    return {std::move(starts), std::move(columns), std::move(values)};
}

Result<Borders> borders_of_founders(MPI_Comm founders, std::int64_t nonzeros, std::int64_t most) {
    int ranks = 0;
    MPI_Comm_size(founders, &ranks);
    Borders borders(static_cast<std::size_t>(ranks) + 1);
    auto gathered = mpi::check(MPI_Allgather(&nonzeros, 1, MPI_INT64_T, borders.data() + 1, 1, MPI_INT64_T, founders),
                               "MPI_Allgather");
    if (!gathered) return tl::unexpected(gathered.error());
    for (std::size_t rank = 0; rank + 1 < borders.size(); ++rank) {
        const std::int64_t theirs = borders[rank + 1];
        if (theirs < 0 || theirs > most - borders[rank])
            return failed(NEREUS_ERR_ARGUMENT, "rank " + std::to_string(rank) + " has " + std::to_string(theirs) +
                                                   " nonzeros: allowed is 0 .. " +
                                                   std::to_string(most - borders[rank]));
        borders[rank + 1] += borders[rank];
    }
    return borders;
}

Done cut_nonzeros(MPI_Comm sources, Registry &registry, const plan::Sizes &sizes) {
    const std::vector<Matrix> matrices = matrices_in(registry);
    if (matrices.empty()) return {};
    int rank = 0;
    MPI_Comm_rank(sources, &rank);
    if (auto done = mpi::agree(sources, check_all(matrices, sizes.sources, rank)); !done) return done;
    for (const Matrix &matrix : matrices) {
        Borders borders = known_borders(matrix.starts, rows_at(matrix.starts, sizes.sources, rank), sizes.drains);
        auto found = mpi::check(MPI_Allreduce(MPI_IN_PLACE, borders.data(), static_cast<int>(borders.size()),
                                              MPI_INT64_T, MPI_MAX, sources),
                                "MPI_Allreduce");
        if (!found) return found;
        matrix.columns.next_borders = matrix.values.next_borders = std::move(borders);
    }
    return {};
}

void show_numbers(Registry &registry, int ranks, int rank) {
    for (const Matrix &matrix : matrices_in(registry)) {
        const plan::Range rows = rows_at(matrix.starts, ranks, rank);
        const plan::Range nonzeros = matrix.columns.before(ranks).range_of(rank);
        nereus_matrix *shown = matrix.starts.matrix;
        if (shown == nullptr) continue; // a newcomer that has not registered it yet
        shown->rows = rows.count();
        shown->first_row = rows.first;
        shown->nonzeros = nonzeros.count();
        shown->first_nonzero = nonzeros.first;
    }
}

}
