// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/fortran_messages.hpp"

#if defined(OPEN_MPI)

#include "pmpi/messages.hpp"

#include <algorithm>

extern "C" {
// Of Fortran's MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE; not there in a program without Fortran.
extern int mpi_fortran_status_ignore_ __attribute__((weak));
extern int mpi_fortran_statuses_ignore_ __attribute__((weak));
}

namespace nereus::pmpi {
namespace {

constexpr std::size_t ints_of_status = sizeof(MPI_Status) / sizeof(MPI_Fint);

std::size_t entries(int number) { return static_cast<std::size_t>(std::max(number, 0)); }

}

MPI_Fint *own_fortran_statuses(int number, MPI_Fint *statuses) {
    if (statuses != nullptr && statuses != &mpi_fortran_status_ignore_ && statuses != &mpi_fortran_statuses_ignore_)
        return statuses;
    return reinterpret_cast<MPI_Fint *>(own_statuses(number, MPI_STATUSES_IGNORE)); // as large as Fortran's
}

std::vector<MPI_Status> statuses(const MPI_Fint *given, int number) {
    std::vector<MPI_Status> list(entries(number));
    for (std::size_t i = 0; i < list.size(); ++i) PMPI_Status_f2c(given + i * ints_of_status, &list[i]);
    return list;
}

std::vector<int> places(const MPI_Fint *given, int number) {
    std::vector<int> list(given, given + entries(number));
    for (int &place : list) --place;
    return list;
}

}

#endif
