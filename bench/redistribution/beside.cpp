// SPDX-License-Identifier: BSD-3-Clause
// A matrix gets other blocks over other processes, and is transposed meanwhile where that is asked for: by Nereus, by
// COSTA, by ScaLAPACK where it was linked, and as many bytes by a bare memcpy, in turn. Rank 0 prints a line of JSON
// for each round. ScaLAPACK's pdtran transposes only where blocks and processes stay what they are.
//
//     beside ROWS COLUMNS BLOCK_BEFORE BLOCK_AFTER SOURCES DRAINS ROUNDS [transpose]
#include <costa/grid2grid/transform.hpp>
#include <costa/layout.hpp>
#include <nereus/nereus.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#ifdef WITH_SCALAPACK
extern "C" {
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridmap(int *context, int *ranks, int leading, int rows, int columns);
void Cpdgemr2d(int rows, int columns, double *from, int from_row, int from_column, int *from_description, double *to,
               int to_row, int to_column, int *to_description, int context);
void pdtran_(const int *rows, const int *columns, const double *alpha, const double *from, const int *from_row,
             const int *from_column, const int *from_description, const double *beta, double *to, const int *to_row,
             const int *to_column, const int *to_description);
}
#endif

namespace {

struct Case {
    std::int64_t rows, columns, block_before, block_after;
    int sources, drains, rounds;
    bool transposes;
};

struct Grid {
    int rows, columns;
};

/// The most square one with no more rows than columns, as Nereus has it.
Grid grid_of(int ranks) {
    int rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
    while (ranks % rows != 0) --rows;
    return {rows, ranks / rows};
}

int rank_of_world() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/// A matrix over the first `ranks` processes; `part` holds this process' own matrix, row by row.
struct Matrix {
    nereus_distribution distribution{};
    int ranks;
    std::vector<double> part{};

    Matrix(std::int64_t rows, std::int64_t columns, std::int64_t block, int over) : ranks(over) {
        distribution.layout = NEREUS_GRID;
        distribution.rows = rows;
        distribution.columns = columns;
        distribution.block_rows = distribution.block_columns = block;
        if (rank_of_world() < ranks) part.resize(static_cast<std::size_t>(count()));
    }
    std::int64_t elements() const { return distribution.rows * distribution.columns; }
    std::int64_t count() const { return nereus_distributed_count(&distribution, elements(), ranks, rank_of_world()); }
    nereus_distributed distributed() const { return {&distribution, ranks, nullptr}; }

    /// Of this process' own matrix.
    std::int64_t width() const {
        const Grid grid = grid_of(ranks);
        nereus_distribution columns{};
        columns.layout = NEREUS_CYCLIC;
        columns.block = distribution.block_columns;
        return nereus_distributed_count(&columns, distribution.columns, grid.columns, rank_of_world() % grid.columns);
    }

    costa::grid_layout<double> layout() {
        const Grid grid = grid_of(ranks);
        const auto number = [](std::int64_t value) { return static_cast<int>(value); };
        return costa::block_cyclic_layout<double>(
            number(distribution.rows), number(distribution.columns), number(distribution.block_rows),
            number(distribution.block_columns), 1, 1, number(distribution.rows), number(distribution.columns),
            grid.rows, grid.columns, 'R', 0, 0, part.data(), std::max(1, number(width())), 'R', rank_of_world());
    }
};

void by_nereus(Matrix &from, Matrix &to) {
    const nereus_distributed is = from.distributed(), shall_be = to.distributed();
    if (nereus_redistribute(MPI_COMM_WORLD, MPI_DOUBLE, from.elements(), &is, from.part.data(), &shall_be,
                            to.part.data()) != NEREUS_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

void by_nereus_transposed(Matrix &from, Matrix &to) {
    const nereus_distributed is = from.distributed(), shall_be = to.distributed();
    if (nereus_transpose(MPI_COMM_WORLD, MPI_DOUBLE, &is, from.part.data(), &shall_be, to.part.data()) != NEREUS_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

void by_costa(Matrix &from, Matrix &to) {
    auto before = from.layout(), after = to.layout();
    costa::transform<double>(before, after, MPI_COMM_WORLD);
}

void by_costa_transposed(Matrix &from, Matrix &to) {
    auto before = from.layout(), after = to.layout();
    costa::transform<double>(before, after, 'T', 1.0, 0.0, MPI_COMM_WORLD);
}

/// As many bytes as this process has before and after: to be read and to be written once.
void by_memcpy(Matrix &from, Matrix &to) {
    static std::vector<double> room(std::max(from.part.size(), to.part.size()));
    const std::size_t bytes = std::max(from.part.size(), to.part.size()) * sizeof(double);
    std::memcpy(room.data(), (from.part.size() >= to.part.size() ? from : to).part.data(), bytes);
}

#ifdef WITH_SCALAPACK
/// ScaLAPACK has matrices column by column: the transposed one over the transposed grid has the same bytes.
class Scalapack {
public:
    Scalapack(const Matrix &from, const Matrix &to) : from_(describe(from)), to_(describe(to)) {
        int size = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        std::vector<int> ranks(static_cast<std::size_t>(size));
        for (int rank = 0; rank < size; ++rank) ranks[static_cast<std::size_t>(rank)] = rank;
        all_ = context_of(ranks, 1, size);
    }
    /// Over the same processes, in the same blocks.
    void transpose(Matrix &from, Matrix &to) {
        const int rows = static_cast<int>(from.distribution.rows), first = 1;
        const int columns = static_cast<int>(from.distribution.columns);
        const double alpha = 1, beta = 0;
        Description after = to_;
        after[1] = from_[1]; // both in one context
        pdtran_(&rows, &columns, &alpha, from.part.data(), &first, &first, from_.data(), &beta, to.part.data(), &first,
                &first, after.data());
    }
    void move(Matrix &from, Matrix &to) {
        Cpdgemr2d(static_cast<int>(from.distribution.columns), static_cast<int>(from.distribution.rows),
                  from.part.data(), 1, 1, from_.data(), to.part.data(), 1, 1, to_.data(), all_);
    }

private:
    using Description = std::array<int, 9>;

    static int context_of(std::vector<int> ranks, int rows, int columns) {
        int context = 0;
        Cblacs_get(0, 0, &context);
        Cblacs_gridmap(&context, ranks.data(), rows, rows, columns);
        return context;
    }

    /// Rank r of Nereus' grid, at row r / columns, is at that column of the transposed one.
    static Description describe(const Matrix &matrix) {
        const Grid grid = grid_of(matrix.ranks);
        std::vector<int> ranks;
        for (int row = 0; row < grid.rows; ++row)
            for (int column = 0; column < grid.columns; ++column) ranks.push_back(row * grid.columns + column);
        const int context = context_of(ranks, grid.columns, grid.rows);
        const auto number = [](std::int64_t value) { return static_cast<int>(value); };
        const nereus_distribution &is = matrix.distribution;
        return {1,
                rank_of_world() < matrix.ranks ? context : -1,
                number(is.columns),
                number(is.rows),
                number(is.block_columns),
                number(is.block_rows),
                0,
                0,
                std::max(1, number(matrix.width()))};
    }

    Description from_, to_;
    int all_ = 0;
};
#endif

/// Of the process that takes longest.
double seconds_of(const std::function<void()> &act) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    act();
    double mine = MPI_Wtime() - begin, longest = 0;
    MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

void fill(Matrix &matrix) {
    double next = 1e9 * rank_of_world();
    for (double &one : matrix.part) one = ++next;
}

/// All must come to the same.
void compare(const Matrix &one, const Matrix &other, const std::string &name) {
    if (one.part == other.part) return;
    std::fprintf(stderr, "%s: another matrix than that of Nereus\n", name.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void run(const Case &is) {
    Matrix from(is.rows, is.columns, is.block_before, is.sources);
    Matrix to(is.transposes ? is.columns : is.rows, is.transposes ? is.rows : is.columns, is.block_after, is.drains);
    Matrix of_peer = to;
    fill(from);
    std::map<std::string, std::function<void()>> ways{
        {"nereus", [&] { (is.transposes ? by_nereus_transposed : by_nereus)(from, to); }},
        {"costa", [&] { (is.transposes ? by_costa_transposed : by_costa)(from, of_peer); }},
        {"memcpy", [&] { by_memcpy(from, to); }},
    };
#ifdef WITH_SCALAPACK
    Scalapack scalapack(from, to);
    if (!is.transposes)
        ways["scalapack"] = [&] { scalapack.move(from, of_peer); };
    else if (is.block_before == is.block_after && is.sources == is.drains)
        ways["scalapack"] = [&] { scalapack.transpose(from, of_peer); };
#endif
    for (int round = -1; round < is.rounds; ++round) { // the first one touches memory, and is not told
        std::string line;
        for (const auto &[name, act] : ways) {
            if (name != "memcpy") std::ranges::fill(name == "nereus" ? to.part : of_peer.part, 0);
            line += (line.empty() ? "{\"" : ", \"") + name + "\": " + std::to_string(seconds_of(act));
            if (name != "nereus" && name != "memcpy" && round >= 0) compare(to, of_peer, name);
        }
        if (rank_of_world() == 0 && round >= 0) std::printf("%s}\n", line.c_str());
    }
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const bool transposes = argc == 9 && std::string(argv[8]) == "transpose";
    if (argc != 8 && !transposes) {
        std::fprintf(stderr, "usage: beside ROWS COLUMNS BLOCK_BEFORE BLOCK_AFTER SOURCES DRAINS ROUNDS [transpose]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    run({std::atoll(argv[1]), std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4]), std::atoi(argv[5]),
         std::atoi(argv[6]), std::atoi(argv[7]), transposes});
    MPI_Finalize();
    return 0;
}
