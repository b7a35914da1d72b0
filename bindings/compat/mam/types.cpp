// SPDX-License-Identifier: BSD-3-Clause
#include "types.hpp"

#include <algorithm>
#include <vector>

namespace nereus::compat {
namespace {

const std::vector<MPI_Datatype> &types() {
    static const std::vector<MPI_Datatype> all{MPI_CHAR,
                                               MPI_SIGNED_CHAR,
                                               MPI_UNSIGNED_CHAR,
                                               MPI_BYTE,
                                               MPI_WCHAR,
                                               MPI_SHORT,
                                               MPI_INT,
                                               MPI_LONG,
                                               MPI_LONG_LONG,
                                               MPI_UNSIGNED_SHORT,
                                               MPI_UNSIGNED,
                                               MPI_UNSIGNED_LONG,
                                               MPI_UNSIGNED_LONG_LONG,
                                               MPI_FLOAT,
                                               MPI_DOUBLE,
                                               MPI_LONG_DOUBLE,
                                               MPI_C_BOOL,
                                               MPI_INT8_T,
                                               MPI_INT16_T,
                                               MPI_INT32_T,
                                               MPI_INT64_T,
                                               MPI_UINT8_T,
                                               MPI_UINT16_T,
                                               MPI_UINT32_T,
                                               MPI_UINT64_T,
                                               MPI_C_FLOAT_COMPLEX,
                                               MPI_C_DOUBLE_COMPLEX,
                                               MPI_AINT,
                                               MPI_COUNT,
                                               MPI_OFFSET};
    return all;
}

}

std::int64_t number_of_type(MPI_Datatype type) {
    const auto found = std::find(types().begin(), types().end(), type);
    return found == types().end() ? -1 : found - types().begin();
}

MPI_Datatype type_of_number(std::int64_t number) { return types().at(static_cast<std::size_t>(number)); }

std::int64_t bytes_of_type(MPI_Datatype type) {
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(type, &lower, &extent);
    return extent;
}

}
