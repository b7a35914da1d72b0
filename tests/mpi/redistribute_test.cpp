// SPDX-License-Identifier: BSD-3-Clause
// A user would lose data if an element of any layout, size and process came to another place, or if one process that
// was called wrongly kept the others waiting.
#include "distributed_sides.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace testing_mpi;

namespace {

/// Elements that are on the process that is to have them.
std::int64_t stays_of(const Side &from, const Side &to, std::int64_t elements, int size) {
    std::int64_t stays = 0;
    for (int rank = 0; rank < size; ++rank) {
        std::vector<bool> has(static_cast<std::size_t>(elements), false);
        each_element(from, elements, rank,
                     [&](std::int64_t element, std::int64_t) { has[static_cast<std::size_t>(element)] = true; });
        each_element(to, elements, rank, [&](std::int64_t element, std::int64_t) {
            stays += has[static_cast<std::size_t>(element)] ? 1 : 0;
        });
    }
    return stays;
}

/// The same processes on both sides, those of the new one in the order in which most stays.
void relabel(Side &from, Side &to, std::int64_t elements, int size) {
    const std::int64_t in_its_order = stays_of(from, to, elements, size);
    const nereus_distributed is = from.given(), shall_be = to.given();
    std::vector<int> ranks(to.ranks.size(), -1);
    const std::int64_t stays = nereus_distributed_relabel(elements, size, &is, &shall_be, ranks.data());
    expect(std::ranges::is_permutation(ranks, to.ranks), "the ranks are the same ones");
    to.ranks = ranks;
    expect(stays == stays_of(from, to, elements, size), "as much stays as it says");
    expect(stays >= in_its_order, "no less stays than before");
}

void try_pair(Side &from, Side &to, std::int64_t elements, int extent) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const nereus_distributed is = from.given(), shall_be = to.given();
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(extent, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    const auto itself = [](std::int64_t element) { return element; };
    const Bytes before = part_of(from, elements, extent, itself), as_it_was = before;
    Bytes after(static_cast<std::size_t>(count_of(to, elements, rank) * extent), 0x11); // another one than in part_of()
    const int code = nereus_redistribute(MPI_COMM_WORLD, type, elements, &is, before.data(), &shall_be, after.data());
    expect(code == NEREUS_OK, "any two layouts over any processes are possible");
    expect(before == as_it_was, "the old part is left as it is");
    expect(after == part_of(to, elements, extent, itself), "each byte is where its element is now");
    MPI_Type_free(&type);
}

void try_all_pairs(unsigned seed, int rounds) {
    const int size = size_of(MPI_COMM_WORLD);
    Random random(seed);
    const std::vector<nereus_layout> layouts{NEREUS_BLOCK, NEREUS_REPLICATED, NEREUS_WEIGHTED, NEREUS_CYCLIC,
                                             NEREUS_GRID};
    for (int round = 0; round < rounds; ++round)
        for (const nereus_layout before : layouts)
            for (const nereus_layout after : layouts) {
                const std::int64_t rows = random.in(0, 4) == 0 ? random.in(0, 1) : random.in(2, 37);
                const std::int64_t columns = random.in(1, 41);
                Side from = any_side(random, before, rows, columns, size);
                Side to = any_side(random, after, rows, columns, size);
                if (random.in(0, 1) == 1) relabel(from, to, rows * columns, size);
                const std::vector<int> extents{1, 3, 8, 16, 24};
                try_pair(from, to, rows * columns, extents[static_cast<std::size_t>(random.in(0, 4))]);
            }
}

/// More than goes in one segment: 36 and 128 are block sizes that divide nothing of one another.
void try_large_matrix() {
    const int size = size_of(MPI_COMM_WORLD);
    Random random(1);
    Side from = any_side(random, NEREUS_GRID, 2000, 1500, size);
    from.distribution.grid_rows = from.distribution.grid_columns = 0;
    Side to = from;
    from.ranks.resize(static_cast<std::size_t>(size));
    std::iota(from.ranks.begin(), from.ranks.end(), 0);
    to.ranks = {size - 1};
    from.distribution.block_rows = from.distribution.block_columns = 36;
    to.distribution.block_rows = to.distribution.block_columns = 128;
    try_pair(from, to, 2000 * 1500, 16);
    try_pair(to, from, 2000 * 1500, 16);
}

struct Call {
    MPI_Datatype type = MPI_DOUBLE;
    std::int64_t elements = 10;
    Side from{}, to{};
    bool without_old = false, without_new = false, in_place = false;
};

/// All processes say the same, whatever the others were given.
void expect_refusal(Call call, int expected, const char *what) {
    std::vector<double> before(100, 1), after(100, 2);
    const nereus_distributed from = call.from.given(), to = call.to.given();
    double *const room = call.in_place ? before.data() : after.data();
    const int code =
        nereus_redistribute(MPI_COMM_WORLD, call.type, call.elements, &from, call.without_old ? nullptr : before.data(),
                            &to, call.without_new ? nullptr : room);
    expect(code == expected, what);
    expect(std::ranges::all_of(after, [](double one) { return one == 2; }), "nothing was moved");
}

Call good_call() {
    Call call;
    for (Side *side : {&call.from, &call.to}) {
        side->distribution.layout = NEREUS_CYCLIC;
        side->distribution.block = 2;
        side->ranks.resize(static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
        std::iota(side->ranks.begin(), side->ranks.end(), 0);
    }
    call.to.distribution.layout = NEREUS_BLOCK;
    return call;
}

/// On the last process alone; the others call it as they should.
template <class Change> void try_wrong(int expected, const char *what, const Change &change) {
    Call call = good_call();
    if (rank_in(MPI_COMM_WORLD) + 1 == size_of(MPI_COMM_WORLD)) change(call);
    expect_refusal(call, expected, what);
}

void try_wrong_calls() {
    const bool alone = size_of(MPI_COMM_WORLD) == 1;
    const int differs = alone ? NEREUS_OK : NEREUS_ERR_MISMATCH;
    const auto wrong = [](const char *what, auto change) { try_wrong(NEREUS_ERR_ARGUMENT, what, change); };
    wrong("no type", [](Call &call) { call.type = MPI_DATATYPE_NULL; });
    wrong("a negative number of elements", [](Call &call) { call.elements = -1; });
    wrong("more bytes than can be counted", [](Call &call) { call.elements = INT64_MAX / 4; });
    wrong("a block of no elements", [](Call &call) { call.from.distribution.block = 0; });
    wrong("no such layout", [](Call &call) { call.to.distribution.layout = static_cast<nereus_layout>(17); });
    wrong("no weights", [](Call &call) { call.to.distribution.layout = NEREUS_WEIGHTED; });
    wrong("a matrix of another size", [](Call &call) { call.to.distribution.layout = NEREUS_GRID; });
    wrong("a rank that does not exist", [](Call &call) { call.to.ranks[0] = 1000; });
    wrong("no processes", [](Call &call) { call.to.ranks.clear(); });
    wrong("too many processes", [](Call &call) { call.to.ranks.resize(call.to.ranks.size() + 1); });
    wrong("no old part", [](Call &call) { call.without_old = true; });
    wrong("no new part", [](Call &call) { call.without_new = true; });
    wrong("one part for both", [](Call &call) { call.in_place = true; });
    wrong("a grid that the processes do not fill",
          [](Call &call) { call.to.distribution = {NEREUS_GRID, nullptr, 0, 0, 5, 2, 1, 1, 5, 0}; });
    wrong("a grid of less than no rows",
          [](Call &call) { call.to.distribution = {NEREUS_GRID, nullptr, 0, 0, 5, 2, 1, 1, -1, 0}; });
    if (!alone) {
        wrong("a rank twice", [](Call &call) { call.from.ranks[0] = call.from.ranks[1]; });
        wrong("more blocks than a plan for a matrix may have", [](Call &call) {
            call.elements = 1 << 21;
            call.from.distribution.block = 1;
            call.to.distribution = {NEREUS_GRID, nullptr, 0, 0, 1 << 11, 1 << 10, 1, 1, 0, 0};
        });
        try_wrong(differs, "another block", [](Call &call) { call.from.distribution.block = 3; });
        try_wrong(differs, "another number of elements", [](Call &call) { call.elements = 11; });
        try_wrong(differs, "another type", [](Call &call) { call.type = MPI_FLOAT; });
        try_wrong(differs, "other processes", [](Call &call) { std::swap(call.to.ranks[0], call.to.ranks[1]); });
    }
    double none = 0;
    Side one_rank{.ranks = {0}};
    const nereus_distributed side = one_rank.given();
    expect(nereus_redistribute(MPI_COMM_NULL, MPI_DOUBLE, 0, &side, &none, &side, &none) == NEREUS_ERR_ARGUMENT,
           "no communicator");
    expect(nereus_redistribute(MPI_COMM_WORLD, MPI_DOUBLE, 0, nullptr, &none, nullptr, &none) == NEREUS_ERR_ARGUMENT,
           "no sides");
}

void try_relabelling(nereus_distribution &cyclic) {
    const int ranks[] = {4, 2}, twice[] = {1, 1}, far[] = {0, 5};
    int found[] = {-1, -1};
    const nereus_distributed from{&cyclic, 2, ranks}, to{&cyclic, 2, nullptr}, wrong{&cyclic, 2, twice};
    const nereus_distributed outside{&cyclic, 2, far}, same{&cyclic, 2, ranks};
    expect(nereus_distributed_relabel(10, 5, &from, &same, found) == 10 && found[0] == 4 && found[1] == 2,
           "all is where it is to be");
    expect(nereus_distributed_relabel(10, 5, &from, &to, found) == 0 && found[0] == 0 && found[1] == 1,
           "the order that it has keeps as much as any");
    expect(nereus_distributed_relabel(10, 5, &from, &wrong, found) == NEREUS_ERR_ARGUMENT, "a rank twice");
    expect(nereus_distributed_relabel(10, 5, &from, &outside, found) == NEREUS_ERR_ARGUMENT, "there is no rank 5");
    expect(nereus_distributed_relabel(-1, 5, &from, &to, found) == NEREUS_ERR_ARGUMENT, "elements are counted");
    expect(nereus_distributed_relabel(std::int64_t{1} << 61, 5, &from, &to, found) == NEREUS_ERR_ARGUMENT,
           "sums fit in 61 bits");
    expect(nereus_distributed_relabel(10, 5, nullptr, &to, found) == NEREUS_ERR_ARGUMENT, "there are two sides");
    expect(nereus_distributed_relabel(10, 5, &from, &to, nullptr) == NEREUS_ERR_ARGUMENT, "it is written somewhere");
}

void try_questions() {
    nereus_distribution cyclic{};
    cyclic.layout = NEREUS_CYCLIC;
    cyclic.block = 3;
    int number = -1;
    expect(nereus_distributed_count(&cyclic, 10, 2, 1) == 4, "0-2 and 6-8 are of process 0, 3-5 and 9 of process 1");
    expect(nereus_distributed_locate(&cyclic, 10, 2, 9, &number) == 3 && number == 1, "element 9 is its last one");
    expect(nereus_distributed_locate(&cyclic, 10, 2, 10, &number) == NEREUS_ERR_RANGE, "there is no element 10");
    expect(nereus_distributed_count(&cyclic, 10, 2, 2) == NEREUS_ERR_ARGUMENT, "there is no process 2");
    expect(nereus_distributed_count(&cyclic, 10, 0, 0) == NEREUS_ERR_ARGUMENT, "there is one process at least");
    expect(nereus_distributed_count(nullptr, 10, 1, 0) == NEREUS_ERR_ARGUMENT, "there is no distribution");
    expect(nereus_distributed_locate(&cyclic, -1, 1, 0, nullptr) == NEREUS_ERR_ARGUMENT, "elements are counted");
    try_relabelling(cyclic);
}

}

int main(int argc, char **argv) {
    try_questions();
    MPI_Init(&argc, &argv);
    expect(argc == 3, "SEED and ROUNDS are given");
    try_wrong_calls();
    try_all_pairs(static_cast<unsigned>(std::atoi(argv[1])), std::atoi(argv[2]));
    try_large_matrix();
    MPI_Finalize();
    return 0;
}
