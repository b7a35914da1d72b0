! SPDX-License-Identifier: BSD-3-Clause
!> The program sums.c, in Fortran.
program sums
    use, intrinsic :: iso_c_binding
    use mpi_f08
    use nereus
    implicit none
    type(nereus_job) :: job
    type(nereus_part) :: part
    real(c_double), pointer :: x(:)
    real(c_double) :: sum_of_all
    integer :: rank
    call MPI_Init()
    if (nereus_open(MPI_COMM_WORLD, job) /= NEREUS_OK) error stop "no job"
    if (nereus_array(job, "x", MPI_DOUBLE_PRECISION, 100_c_int64_t, NEREUS_BLOCK, NEREUS_VARIABLE, part) < 0) &
        error stop "no array"
    call nereus_view(part, x)
    x = 1
    sum_of_all = sum(x)
    call MPI_Allreduce(MPI_IN_PLACE, sum_of_all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, nereus_comm(job))
    if (nereus_checkpoint(job) /= NEREUS_OK) error stop "no checkpoint"
    call MPI_Comm_rank(nereus_comm(job), rank)
    if (rank == 0) print "(a, i0, 2a)", "sum ", nint(sum_of_all), " with ", nereus_version()
    if (nereus_close(job) < 0) error stop
    call MPI_Finalize()
end program
