// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/type.hpp"

namespace nereus::mpi {

Type Type::blocks(const std::vector<Block> &blocks, std::int64_t repeats, std::int64_t step) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    for (const Block &one : blocks) {
        lengths.push_back(static_cast<int>(one.bytes));
        places.push_back(static_cast<MPI_Aint>(one.place));
    }
    MPI_Datatype once = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(static_cast<int>(blocks.size()), lengths.data(), places.data(), MPI_BYTE, &once);
    if (repeats == 1) return Type(once);
    MPI_Type_create_hvector(static_cast<int>(repeats), 1, static_cast<MPI_Aint>(step), once, &type);
    MPI_Type_free(&once);
    return Type(type);
}

Type Type::together(const std::vector<Type> &parts) {
    const std::vector<int> once(parts.size(), 1);
    const std::vector<MPI_Aint> places(parts.size(), 0);
    std::vector<MPI_Datatype> types;
    for (const Type &part : parts) types.push_back(part.get());
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(static_cast<int>(parts.size()), once.data(), places.data(), types.data(), &type);
    return Type(type);
}

}
