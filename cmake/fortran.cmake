# SPDX-License-Identifier: BSD-3-Clause
# Sets NEREUS_FORTRAN where the module nereus can be built: a Fortran compiler, and the module mpi_f08 of the very MPI that
# the library is for. Else says why not.
set(NEREUS_FORTRAN FALSE)

# What FindMPI would find by itself may be another MPI's: taken is what stands beside mpicc.
if(NOT MPI_Fortran_COMPILER)
  string(REGEX REPLACE "mpicc([^/]*)$" "mpifort\\1" NEREUS_MPIFORT "${MPI_C_COMPILER}")
  if(NEREUS_MPIFORT STREQUAL MPI_C_COMPILER OR NOT EXISTS "${NEREUS_MPIFORT}")
    message(STATUS "No Fortran module: ${MPI_C_COMPILER} has no mpifort beside it; MPI_Fortran_COMPILER can name one")
    return()
  endif()
  set(MPI_Fortran_COMPILER "${NEREUS_MPIFORT}")
endif()

include(CheckLanguage)
check_language(Fortran)
if(NOT CMAKE_Fortran_COMPILER)
  message(STATUS "No Fortran module: there is no Fortran compiler")
  return()
endif()
enable_language(Fortran)
find_package(MPI QUIET COMPONENTS Fortran)
if(NOT MPI_Fortran_HAVE_F08_MODULE)
  message(STATUS "No Fortran module: ${MPI_Fortran_COMPILER} has no module mpi_f08 that ${CMAKE_Fortran_COMPILER} can read")
  return()
endif()
set(NEREUS_FORTRAN TRUE)
set(NEREUS_FORTRAN_WARNINGS "")
if(CMAKE_Fortran_COMPILER_ID STREQUAL GNU)
  set(NEREUS_FORTRAN_WARNINGS -Wall -Wextra -Wpedantic $<$<BOOL:${CMAKE_COMPILE_WARNING_AS_ERROR}>:-Werror> -std=f2018)
endif()
message(STATUS "Fortran module: with ${MPI_Fortran_COMPILER}")
