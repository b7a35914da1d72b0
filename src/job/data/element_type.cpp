// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/element_type.hpp"

#include "epochs/array_form.hpp"
#include "mpi/number.hpp"

namespace nereus::job {

std::string element_type(MPI_Datatype type, std::int64_t extent) {
    const mpi::Number number = mpi::number_of(type);
    return number.bytes == extent ? epochs::data_type(number.kind, number.bytes) : "";
}

}
