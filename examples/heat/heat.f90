! SPDX-License-Identifier: BSD-3-Clause
!> Heat in a plate whose rows are dealt out over the processes by weights; neighbours exchange border rows.
!>     mpiexec -n 2 heat 3 1    becomes 3 processes, then 1
!>     mpiexec -n 2 heat        stays as it is: the checksum is the same, to the last bit, as it is with heat.py
program heat
    use, intrinsic :: iso_c_binding
    use mpi_f08
    use nereus
    implicit none
    integer, parameter :: rows = 96, columns = 64, last = 400, between = 50
    real(c_double), parameter :: top = 1, left = 0.5 ! what the plate is kept at there; 0 at the right and the bottom
    integer(c_int32_t), target :: weights(3) = [2, 1, 3]
    type(nereus_job) :: job
    type(MPI_Datatype) :: row
    real(c_double), pointer :: u(:, :)
    integer(c_int64_t), target :: step
    integer :: code, rank, ranks
    call MPI_Init()
    call MPI_Type_contiguous(columns, MPI_DOUBLE_PRECISION, row)
    call MPI_Type_commit(row)
    do
        code = nereus_open(MPI_COMM_WORLD, job)
        if (code == NEREUS_OK) call iterate()
        if (nereus_close(job) /= NEREUS_WOKEN) exit
    end do
    call MPI_Finalize()
    if (code < 0) error stop
contains
    subroutine iterate()
        type(nereus_part) :: part
        step = 0 ! newcomers get that of rank 0, and their rows; founders' rows are zeroed
        if (nereus_array(job, "u", row, int(rows, c_int64_t), nereus_distribution(layout=NEREUS_WEIGHTED, &
            weights=c_loc(weights), weight_count=size(weights)), NEREUS_VARIABLE, part) < 0) error stop "no plate"
        if (nereus_value(job, "step", step) < 0) error stop "no step"
        call nereus_view(part, u)
        do while (step < last)
            call advance(nereus_comm(job))
            call ask()
            step = step + 1
            if (nereus_checkpoint(job) == NEREUS_LEAVE) return
            call nereus_view(part, u)
        end do
        call print_checksum()
    end subroutine
    !> One step of time: each cell becomes the mean of its neighbours, added in the order of heat.py.
    subroutine advance(comm)
        type(MPI_Comm), intent(in) :: comm
        real(c_double) :: old(0:columns + 1, 0:size(u, 2) + 1)
        integer :: before, after, n
        call MPI_Comm_rank(comm, rank)
        call MPI_Comm_size(comm, ranks)
        before = merge(rank - 1, MPI_PROC_NULL, rank > 0)
        after = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
        n = size(u, 2)
        old = 0
        if (rank == 0) old(:, 0) = top
        old(0, 1:n) = left
        old(1:columns, 1:n) = u
        call MPI_Sendrecv(u(1, n), 1, row, after, 0, old(1, 0), 1, row, before, 0, comm, MPI_STATUS_IGNORE)
        call MPI_Sendrecv(u(1, 1), 1, row, before, 1, old(1, n + 1), 1, row, after, 1, comm, MPI_STATUS_IGNORE)
        u = ((old(1:columns, :n - 1) + old(1:columns, 2:)) + (old(:columns - 1, 1:n) + old(2:, 1:n)))*0.25
    end subroutine
    !> Rank 0 asks for the sizes of the command line, one after the other.
    subroutine ask()
        character(len=16) :: word
        integer :: next, wanted
        next = int(nereus_generation(job)) + 1
        call get_command_argument(next, word)
        if (rank /= 0 .or. step /= between*next .or. word == "" .or. word(1:2) == "--") return
        read (word, *) wanted
        if (nereus_resize(job, wanted) < 0) print "(a)", nereus_message(job)
    end subroutine
    !> The sum of all cells' bits: no rounding, so that it does not depend on how the cells are cut.
    subroutine print_checksum()
        integer(c_int64_t) :: total
        call MPI_Reduce(sum(transfer(u, [0_c_int64_t])), total, 1, MPI_INTEGER8, MPI_SUM, 0, nereus_comm(job))
        call MPI_Comm_rank(nereus_comm(job), rank)
        if (rank == 0) print "(a, z16.16, a, i0, a)", "checksum ", total, " after ", nereus_generation(job), " resizes"
    end subroutine
end program
