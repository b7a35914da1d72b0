// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/type.hpp"

namespace nereus::mpi {
namespace {

constexpr std::int64_t block = std::int64_t{1} << 30; // counts of MPI 3 are ints: longer types are made of blocks

}

Type Type::bytes(std::int64_t bytes) { return bytes_at(0, bytes); }

Type Type::bytes_at(std::int64_t offset, std::int64_t bytes) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const std::int64_t blocks = bytes / block, rest = bytes % block;
    if (blocks == 0) {
        const int length = static_cast<int>(rest);
        const MPI_Aint at = offset;
        MPI_Type_create_hindexed(1, &length, &at, MPI_BYTE, &type);
    } else {
        MPI_Datatype one = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &one);
        const int lengths[2] = {static_cast<int>(blocks), static_cast<int>(rest)};
        const MPI_Aint places[2] = {static_cast<MPI_Aint>(offset), static_cast<MPI_Aint>(offset + blocks * block)};
        const MPI_Datatype types[2] = {one, MPI_BYTE};
        MPI_Type_create_struct(2, lengths, places, types, &type);
        MPI_Type_free(&one);
    }
    MPI_Type_commit(&type);
    return Type(type);
}

}
