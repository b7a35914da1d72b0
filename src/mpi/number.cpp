// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/number.hpp"

#include <initializer_list>

namespace nereus::mpi {
namespace {

struct Kind {
    const char *name;
    std::initializer_list<MPI_Datatype> types;
};

/// MPI 4.1, tables 3.1 to 3.3. Fortran's have the length that the MPI was built with.
std::string kind_of(MPI_Datatype type) {
    for (const Kind &kind :
         {Kind{"int",
               {MPI_CHAR, MPI_SIGNED_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INT8_T, MPI_INT16_T,
                MPI_INT32_T, MPI_INT64_T, MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_INTEGER}},
          Kind{"uint",
               {MPI_BYTE, MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG,
                MPI_UNSIGNED_LONG_LONG, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T}},
          Kind{"float", {MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION}},
          Kind{"complex", {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX}},
          Kind{"bool", {MPI_C_BOOL}}})
        for (const MPI_Datatype known : kind.types)
            if (known == type && known != MPI_DATATYPE_NULL) return kind.name;
    return "";
}

}

Number number_of(MPI_Datatype type) {
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    return {kind_of(type), bytes};
}

}
