// SPDX-License-Identifier: BSD-3-Clause
// A user would compute with wrong numbers if an element of a transposed matrix came to another place, or if one process
// that was called wrongly kept the others waiting.
#include "distributed_sides.hpp"

#include <cstdlib>

using namespace testing_mpi;

namespace {

Side transposed_side(Random &random, const Side &from, int size) {
    return any_side(random, NEREUS_GRID, from.distribution.columns, from.distribution.rows, size);
}

void try_matrix(Side &from, Side &to, int extent) {
    const std::int64_t rows = from.distribution.rows, columns = from.distribution.columns, elements = rows * columns;
    const nereus_distributed is = from.given(), shall_be = to.given();
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(extent, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    const Bytes before = part_of(from, elements, extent, [](std::int64_t element) { return element; });
    const Bytes as_it_was = before;
    const Bytes wanted = part_of(to, elements, extent, [&](std::int64_t element) {
        const std::int64_t row = element / rows, column = element % rows; // of the new matrix
        return column * columns + row;
    });
    Bytes after(wanted.size(), 0x11); // another one than in part_of()
    const int code = nereus_transpose(MPI_COMM_WORLD, type, &is, before.data(), &shall_be, after.data());
    expect(code == NEREUS_OK, "any two grids over any processes are possible");
    expect(before == as_it_was, "the old part is left as it is");
    expect(after == wanted, "each byte is where its element is now");
    MPI_Type_free(&type);
}

void try_matrices(unsigned seed, int rounds) {
    const int size = size_of(MPI_COMM_WORLD);
    Random random(seed);
    for (int round = 0; round < rounds; ++round)
        for (const int extent : {1, 2, 3, 4, 8, 16, 24}) {
            const std::int64_t rows = random.in(0, 4) == 0 ? random.in(0, 1) : random.in(2, 90);
            Side from = any_side(random, NEREUS_GRID, rows, random.in(1, 80), size);
            Side to = transposed_side(random, from, size);
            try_matrix(from, to, extent);
        }
}

/// From rows to rows, as before the second half of a Fourier transform in two dimensions; more than one segment holds.
void try_slabs() {
    const int size = size_of(MPI_COMM_WORLD);
    Side from;
    from.ranks.resize(static_cast<std::size_t>(size));
    std::iota(from.ranks.begin(), from.ranks.end(), 0);
    from.distribution.layout = NEREUS_GRID;
    from.distribution.rows = 1500;
    from.distribution.columns = from.distribution.block_columns = 2000;
    from.distribution.block_rows = (1500 + size - 1) / size;
    from.distribution.grid_columns = 1;
    Side to = from;
    std::swap(to.distribution.rows, to.distribution.columns);
    to.distribution.block_columns = 1500;
    to.distribution.block_rows = (2000 + size - 1) / size;
    try_matrix(from, to, 16);
}

/// There is nothing to move, in any number of rows.
void try_empty_matrices() {
    const std::int64_t columns = 0;
    for (const std::int64_t rows : {std::int64_t{1} << 61, std::int64_t{4}}) {
        Side tall, wide;
        tall.ranks = wide.ranks = {0};
        tall.distribution = {NEREUS_GRID, nullptr, 0, 0, rows, columns, 1, 1, 0, 0};
        wide.distribution = {NEREUS_GRID, nullptr, 0, 0, columns, rows, 1, 1, 0, 0};
        try_matrix(tall, wide, 8);
        try_matrix(wide, tall, 8);
    }
}

struct Call {
    MPI_Datatype type = MPI_DOUBLE;
    Side from{}, to{};
    bool without_old = false, without_new = false, in_place = false;
};

/// 3 x 5 in single elements on all processes, to 5 x 3.
Call good_call() {
    Call call;
    for (Side *side : {&call.from, &call.to}) {
        side->distribution = {NEREUS_GRID, nullptr, 0, 0, 3, 5, 1, 1, 0, 0};
        side->ranks.resize(static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
        std::iota(side->ranks.begin(), side->ranks.end(), 0);
    }
    std::swap(call.to.distribution.rows, call.to.distribution.columns);
    return call;
}

/// On the last process alone; the others call it as they should, and all get the same.
template <class Change> void try_wrong(int expected, const char *what, const Change &change) {
    Call call = good_call();
    if (rank_in(MPI_COMM_WORLD) + 1 == size_of(MPI_COMM_WORLD)) change(call);
    std::vector<double> before(100, 1), after(100, 2);
    const nereus_distributed from = call.from.given(), to = call.to.given();
    double *const room = call.in_place ? before.data() : after.data();
    const int code = nereus_transpose(MPI_COMM_WORLD, call.type, &from, call.without_old ? nullptr : before.data(), &to,
                                      call.without_new ? nullptr : room);
    expect(code == expected, what);
    expect(std::ranges::all_of(after, [](double one) { return one == 2; }), "nothing was moved");
}

void try_wrong_calls() {
    const bool alone = size_of(MPI_COMM_WORLD) == 1;
    const auto wrong = [](const char *what, auto change) { try_wrong(NEREUS_ERR_ARGUMENT, what, change); };
    wrong("no type", [](Call &call) { call.type = MPI_DATATYPE_NULL; });
    wrong("an array that is no matrix", [](Call &call) { call.from.distribution.layout = NEREUS_BLOCK; });
    wrong("a result that is no matrix", [](Call &call) { call.to.distribution.layout = NEREUS_REPLICATED; });
    wrong("sides that are not changed over",
          [](Call &call) { std::swap(call.to.distribution.rows, call.to.distribution.columns); });
    wrong("sides without a product",
          [](Call &call) { call.from.distribution.rows = call.from.distribution.columns = INT64_MAX / 2; });
    wrong("less than no rows", [](Call &call) { call.from.distribution.rows = -3; });
    wrong("a grid that the processes do not fill", [](Call &call) { call.from.distribution.grid_rows = 7; });
    wrong("no processes", [](Call &call) { call.to.ranks.clear(); });
    wrong("no old part", [](Call &call) { call.without_old = true; });
    wrong("no new part", [](Call &call) { call.without_new = true; });
    wrong("one part for both", [](Call &call) { call.in_place = true; });
    if (!alone) {
        const auto differs = [](const char *what, auto change) { try_wrong(NEREUS_ERR_MISMATCH, what, change); };
        differs("another block", [](Call &call) { call.from.distribution.block_rows = 2; });
        differs("another grid", [](Call &call) { call.to.distribution.grid_columns = 1; });
        differs("another type", [](Call &call) { call.type = MPI_FLOAT; });
    }
    expect(nereus_transpose(MPI_COMM_WORLD, MPI_DOUBLE, nullptr, nullptr, nullptr, nullptr) == NEREUS_ERR_ARGUMENT,
           "no sides");
}

/// Some redistribute where the others transpose: a matrix that is the same in both ways.
void try_different_calls() {
    if (size_of(MPI_COMM_WORLD) == 1) return;
    Side side;
    side.ranks = {0};
    side.distribution = {NEREUS_GRID, nullptr, 0, 0, 3, 3, 1, 1, 0, 0};
    const nereus_distributed matrix = side.given();
    std::vector<double> before(9, 1), after(9, 2);
    const int code = rank_in(MPI_COMM_WORLD) == 0
                         ? nereus_transpose(MPI_COMM_WORLD, MPI_DOUBLE, &matrix, before.data(), &matrix, after.data())
                         : nereus_redistribute(MPI_COMM_WORLD, MPI_DOUBLE, 9, &matrix, nullptr, &matrix, nullptr);
    expect(code == NEREUS_ERR_MISMATCH, "all call the same");
}

}

int main(int argc, char **argv) {
    double none = 0;
    Side one{.distribution = {NEREUS_GRID, nullptr, 0, 0, 0, 0, 1, 1, 0, 0}, .ranks = {0}};
    const nereus_distributed matrix = one.given();
    expect(nereus_transpose(MPI_COMM_WORLD, MPI_DOUBLE, &matrix, &none, &matrix, &none) == NEREUS_ERR_MPI,
           "MPI does not run yet");
    MPI_Init(&argc, &argv);
    expect(argc == 3, "SEED and ROUNDS are given");
    try_wrong_calls();
    try_different_calls();
    try_matrices(static_cast<unsigned>(std::atoi(argv[1])), std::atoi(argv[2]));
    try_slabs();
    try_empty_matrices();
    MPI_Finalize();
    return 0;
}
