// SPDX-License-Identifier: BSD-3-Clause
// A user would lose data of parts with more than 2^31 bytes if the datatypes of their pieces lay elsewhere.
#include "expect.hpp"

#include "mpi/type.hpp"

#include <algorithm>
#include <cstdint>

using namespace testing_mpi;
using nereus::mpi::Type;
using nereus::mpi::Unit;

namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

void expect_bytes(const Type &type, std::int64_t bytes, std::int64_t first, std::int64_t end) {
    MPI_Count size = 0, start = 0, extent = 0;
    MPI_Type_size_x(type.get(), &size);
    MPI_Type_get_true_extent_x(type.get(), &start, &extent);
    expect(size == bytes, "the type has the piece's length");
    expect(start == first && start + extent == end, "the type lies where the piece lies");
}

void try_one_block(std::int64_t place) {
    for (const std::int64_t bytes : {std::int64_t{1}, gib, 2 * gib - 1})
        expect_bytes(Type::blocks({{place, bytes}}, 1, 0, {}), bytes, place, place + bytes);
}

void try_repeated_blocks(std::int64_t place) {
    const std::int64_t step = 3 * gib + 1;
    const Type type = Type::blocks({{place, 5}, {place + gib, 7}}, 4, step, {});
    expect_bytes(type, 4 * (5 + 7), place, place + 3 * step + gib + 7);
    const Type alike = Type::blocks({{place, 5}, {place + gib, 5}}, 4, step, {});
    expect_bytes(alike, 4 * (5 + 5), place, place + 3 * step + gib + 5);
    const Type one = Type::blocks({{place, 5}}, 4, step, {});
    expect_bytes(one, 4 * 5, place, place + 3 * step + 5);
}

void try_several(std::int64_t place) {
    std::vector<Type> parts;
    parts.push_back(Type::blocks({{place, 3}}, 2, 5 * gib, {}));
    parts.push_back(Type::blocks({{place + 20 * gib, 4}}, 1, 0, {}));
    expect_bytes(Type::together(parts), 2 * 3 + 4, place, place + 20 * gib + 4);
}

void try_units(std::int64_t place) {
    for (const std::int64_t width : {1, 2, 3, 4, 6, 8, 16, 24}) {
        const Unit unit = Unit::widest(width);
        expect(width % unit.bytes == 0 && unit.bytes == std::min<std::int64_t>(width & -width, 8), "the widest unit");
        int size = 0;
        MPI_Type_size(unit.type, &size);
        expect(size == unit.bytes, "the unit's type is as long as it says");
        const Type type = Type::blocks({{width * place, width}, {width * (place + 2), 2 * width}}, 3, 5 * width, unit);
        expect_bytes(type, 3 * 3 * width, width * place, width * (place + 14));
    }
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (const std::int64_t place : {std::int64_t{0}, std::int64_t{17}, 3 * gib, 4000 * gib + 5}) {
        try_one_block(place);
        try_repeated_blocks(place);
        try_several(place);
        try_units(place);
    }
    MPI_Finalize();
    return 0;
}
