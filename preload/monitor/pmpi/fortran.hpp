// SPDX-License-Identifier: BSD-3-Clause
// What Fortran gives, as C has it.
#pragma once

#include <mpi.h>

#if defined(OPEN_MPI) // else Fortran's calls come by those of C, and two kinds of handles may be one type

#include "pmpi/thread.hpp"

#include <dlfcn.h>
#include <string>
#include <vector>

namespace nereus::pmpi {

static_assert(sizeof(MPI_Fint) == sizeof(int), "lists of counts are taken as they are");

/// What our symbol of this name hides.
template <class Function> Function next(const char *symbol) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, symbol));
}

template <class Handle> Handle from_fortran(MPI_Fint number);
template <> inline MPI_Comm from_fortran(MPI_Fint number) { return PMPI_Comm_f2c(number); }
template <> inline MPI_Datatype from_fortran(MPI_Fint number) { return PMPI_Type_f2c(number); }
template <> inline MPI_Win from_fortran(MPI_Fint number) { return PMPI_Win_f2c(number); }
template <> inline MPI_File from_fortran(MPI_Fint number) { return PMPI_File_f2c(number); }
template <> inline MPI_Request from_fortran(MPI_Fint number) { return PMPI_Request_f2c(number); }
template <> inline MPI_Op from_fortran(MPI_Fint number) { return PMPI_Op_f2c(number); }
template <> inline MPI_Message from_fortran(MPI_Fint number) { return PMPI_Message_f2c(number); }

template <class Handle> std::vector<Handle> handles(const MPI_Fint *numbers, int length) {
    std::vector<Handle> list;
    for (int i = 0; i < length; ++i) list.push_back(from_fortran<Handle>(numbers[i]));
    return list;
}

/// How many types MPI_Alltoallw has, and MPI_Neighbor_alltoallw.
inline int ranks(MPI_Comm comm) { return Thread::here().members(comm).size(); }
inline int neighbours(MPI_Comm comm) { return static_cast<int>(Thread::here().members(comm).neighbours().size()); }

/// Without the blanks that fill it up.
inline std::string text(const char *begin, std::size_t length) {
    const std::string filled(begin, length);
    return filled.substr(0, filled.find_last_not_of(' ') + 1);
}

/// MPI_IN_PLACE has another address in Fortran.
const void *buffer(const void *given);

}

#endif
