// SPDX-License-Identifier: BSD-3-Clause
// A user would lose data of pieces with more than 2^31 bytes if their datatypes had another length or place.
#include "expect.hpp"

#include "mpi/type.hpp"

#include <cstdint>

using namespace testing_mpi;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    constexpr std::int64_t gib = std::int64_t{1} << 30;
    for (const std::int64_t bytes :
         {std::int64_t{1}, gib - 1, gib, gib + 1, 2 * gib - 1, 2 * gib, 5 * gib + 3, 1000 * gib + 7})
        for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{17}, 3 * gib, 4000 * gib + 5}) {
            const auto type = nereus::mpi::Type::bytes_at(offset, bytes);
            MPI_Count size = 0, first = 0, extent = 0;
            MPI_Type_size_x(type.get(), &size);
            MPI_Type_get_true_extent_x(type.get(), &first, &extent);
            expect(size == bytes, "the type has the piece's length");
            expect(first == offset && extent == bytes, "the type lies where the piece lies");
        }
    MPI_Finalize();
    return 0;
}
