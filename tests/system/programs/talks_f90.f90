! SPDX-License-Identifier: BSD-3-Clause
! What talks.c does in C, a little of it in Fortran: 40 bytes to the next rank, 8 bytes of a persistent request to it, an
! allreduce in place of 8 bytes, 6 integers to each in an allgather in place.
program talks_f90
   use mpi
   implicit none
   integer :: rank, ranks, next, previous, error, number
   integer :: many(6, 64)
   double precision :: out(5), in(5), one
   integer :: request

   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
   next = mod(rank + 1, ranks)
   previous = mod(rank + ranks - 1, ranks)
   out = rank
   many = rank
   one = rank
   call MPI_Isend(out, 5, MPI_DOUBLE_PRECISION, next, 1, MPI_COMM_WORLD, request, error)
   call MPI_Recv(in, 5, MPI_DOUBLE_PRECISION, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
   call MPI_Wait(request, MPI_STATUS_IGNORE, error)
   call MPI_Send_init(one, 1, MPI_DOUBLE_PRECISION, next, 2, MPI_COMM_WORLD, request, error)
   do number = 1, 2
      call MPI_Start(request, error)
      call MPI_Recv(in, 1, MPI_DOUBLE_PRECISION, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call MPI_Wait(request, MPI_STATUS_IGNORE, error)
   end do
   call MPI_Request_free(request, error)
   call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
   call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many, 6, MPI_INTEGER, MPI_COMM_WORLD, error)
   call MPI_Finalize(error)
end program talks_f90
