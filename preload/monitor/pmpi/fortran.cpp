// SPDX-License-Identifier: BSD-3-Clause
// The calls of Fortran between which there is a record, where they do not come by those of C (generate.py).
#include "pmpi/fortran.hpp"

#include "pmpi/sensor.hpp"

#if defined(OPEN_MPI)

extern "C" {
// Of Fortran's MPI_IN_PLACE; not there in a program without Fortran.
extern int mpi_fortran_in_place_ __attribute__((weak));
}

namespace nereus::pmpi {

const void *buffer(const void *given) { return given && given == &mpi_fortran_in_place_ ? MPI_IN_PLACE : given; }

namespace {

using Initialise = void (*)(MPI_Fint *);
using InitialiseThreads = void (*)(MPI_Fint *, MPI_Fint *, MPI_Fint *);
using Abort = void (*)(MPI_Fint *, MPI_Fint *, MPI_Fint *);

void initialise(Initialise real, MPI_Fint *error) {
    real(error);
    if (*error == MPI_SUCCESS) begin();
}

void initialise_threads(InitialiseThreads real, MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error) {
    real(required, provided, error);
    if (*error == MPI_SUCCESS) begin();
}

void finalise(Initialise real, MPI_Fint *error) {
    end();
    real(error);
}

void abort_job(Abort real, MPI_Fint *comm, MPI_Fint *code, MPI_Fint *error) {
    abort();
    real(comm, code, error);
}

}
}

using namespace nereus::pmpi;

// mpif.h and the module mpi call mpi_..._, the module mpi_f08 calls ompi_..._f.
extern "C" {
#pragma GCC visibility push(default)

void mpi_init_(MPI_Fint *error) { initialise(next<Initialise>("mpi_init_"), error); }
void ompi_init_f(MPI_Fint *error) { initialise(next<Initialise>("ompi_init_f"), error); }

void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error) {
    initialise_threads(next<InitialiseThreads>("mpi_init_thread_"), required, provided, error);
}
void ompi_init_thread_f(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error) {
    initialise_threads(next<InitialiseThreads>("ompi_init_thread_f"), required, provided, error);
}

void mpi_finalize_(MPI_Fint *error) { finalise(next<Initialise>("mpi_finalize_"), error); }
void ompi_finalize_f(MPI_Fint *error) { finalise(next<Initialise>("ompi_finalize_f"), error); }

void mpi_abort_(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *error) {
    abort_job(next<Abort>("mpi_abort_"), comm, code, error);
}
void ompi_abort_f(MPI_Fint *comm, MPI_Fint *code, MPI_Fint *error) {
    abort_job(next<Abort>("ompi_abort_f"), comm, code, error);
}

#pragma GCC visibility pop
}

#endif
