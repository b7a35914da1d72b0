// SPDX-License-Identifier: BSD-3-Clause
// What src/transfer and src/mpi are compiled with here, before anything else: rests are simulated, and collectives
// that SMPI sends in a row from each rank to all, also without bytes, are sent as MPICH sends them. They wait inside;
// who asked for them waits in the next line with the strategy `blocking`.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <unistd.h>
#include <vector>

namespace smpi::as_mpich {

/// A request that is complete.
int complete(MPI_Request *request);

int iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request);

int ibarrier(MPI_Comm comm, MPI_Request *request);

int ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);

/// Messages for pairs with bytes alone, 32 peers at a time.
int ialltoallw(const void *out, const int *out_counts, const int *out_places, const MPI_Datatype *out_types, void *in,
               const int *in_counts, const int *in_places, const MPI_Datatype *in_types, MPI_Comm comm,
               MPI_Request *request);

}

#define usleep(microseconds) smpi_usleep(microseconds)
#define MPI_Iallreduce smpi::as_mpich::iallreduce
#define MPI_Ibarrier smpi::as_mpich::ibarrier
#define MPI_Ibcast smpi::as_mpich::ibcast
#define MPI_Ialltoallw smpi::as_mpich::ialltoallw
