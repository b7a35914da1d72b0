// SPDX-License-Identifier: BSD-3-Clause
// Statuses and places in lists, by which messages.hpp learns what arrived, as Fortran gives and takes them.
#pragma once

#include <mpi.h>

#if defined(OPEN_MPI) // else Fortran's calls come by those of C

#include <vector>

namespace nereus::pmpi {

/// What a call is to write its statuses to where the program does not want them.
MPI_Fint *own_fortran_statuses(int number, MPI_Fint *statuses);

/// As C has them, which the call has written.
std::vector<MPI_Status> statuses(const MPI_Fint *given, int number);
/// From 0 on, where Fortran counts from 1. MPI_UNDEFINED stays below 0.
std::vector<int> places(const MPI_Fint *given, int number);

}

#endif
