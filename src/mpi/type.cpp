// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/type.hpp"

#include <algorithm>

namespace nereus::mpi {

namespace {

/// All `blocks` once, not committed.
MPI_Datatype listed(const std::vector<Block> &blocks, const Unit &unit) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    for (const Block &one : blocks) {
        lengths.push_back(static_cast<int>(one.bytes / unit.bytes));
        places.push_back(static_cast<MPI_Aint>(one.place));
    }
    const int count = static_cast<int>(blocks.size());
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (std::ranges::all_of(lengths, [&](int length) { return length == lengths.front(); }))
        MPI_Type_create_hindexed_block(count, lengths.empty() ? 0 : lengths.front(), places.data(), unit.type, &type);
    else
        MPI_Type_create_hindexed(count, lengths.data(), places.data(), unit.type, &type);
    return type;
}

}

Unit Unit::widest(std::int64_t divisor) {
    if (divisor % 8 == 0) return {MPI_UINT64_T, 8};
    if (divisor % 4 == 0) return {MPI_UINT32_T, 4};
    if (divisor % 2 == 0) return {MPI_UINT16_T, 2};
    return {};
}

Type Type::blocks(const std::vector<Block> &blocks, std::int64_t repeats, std::int64_t step, const Unit &unit) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (blocks.size() == 1 && blocks.front().place == 0) {
        MPI_Type_create_hvector(static_cast<int>(repeats), static_cast<int>(blocks.front().bytes / unit.bytes),
                                static_cast<MPI_Aint>(step), unit.type, &type);
        return Type(type);
    }
    MPI_Datatype once = listed(blocks, unit);
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
