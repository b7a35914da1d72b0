! SPDX-License-Identifier: BSD-3-Clause
!> Arrays that get another distribution without a job. Programs use the module nereus, which brings it.
module nereus_distributed_arrays
    use, intrinsic :: iso_c_binding
    use mpi_f08, only: MPI_Comm, MPI_Datatype
    use nereus_types
    implicit none
    private

    public :: nereus_distributed, nereus_redistribute, nereus_distributed_count, nereus_distributed_locate
    public :: nereus_distributed_relabel, nereus_transpose

    !> An array as it is distributed over `processes` processes of a communicator: those with its `ranks`, or the first
    !> ones where `ranks` is not allocated.
    type :: nereus_distributed
        type(nereus_distribution) :: distribution
        integer(c_int) :: processes = 1
        integer(c_int), allocatable :: ranks(:)
    end type

    !> The nereus_distributed of C.
    type, bind(c) :: c_distributed
        type(c_ptr) :: distribution = c_null_ptr
        integer(c_int) :: processes = 0
        type(c_ptr) :: ranks = c_null_ptr
    end type

    !> Collective over `comm`. `comm` and `datatype` are those of mpi_f08, or integers; parts are of any type and rank,
    !> arrays of no elements where this process has none.
    interface nereus_redistribute
        procedure redistribute_f08, redistribute_integer
    end interface

    !> The same for a matrix that is transposed meanwhile.
    interface nereus_transpose
        procedure transpose_f08, transpose_integer
    end interface

    interface
        integer(c_int) function c_redistribute(comm, datatype, elements, from, old_part, to, new_part) &
            bind(c, name="nereus_fortran_redistribute")
            import
            integer(c_int), value :: comm, datatype
            integer(c_int64_t), value :: elements
            type(c_distributed), intent(in) :: from, to
            type(c_ptr), value :: old_part, new_part
        end function

        integer(c_int) function c_transpose(comm, datatype, from, old_part, to, new_part) &
            bind(c, name="nereus_fortran_transpose")
            import
            integer(c_int), value :: comm, datatype
            type(c_distributed), intent(in) :: from, to
            type(c_ptr), value :: old_part, new_part
        end function

        integer(c_int64_t) function c_relabel(elements, size, from, to, ranks) &
            bind(c, name="nereus_distributed_relabel")
            import
            integer(c_int64_t), value :: elements
            integer(c_int), value :: size
            type(c_distributed), intent(in) :: from, to
            integer(c_int), intent(inout) :: ranks(*)
        end function

        integer(c_int64_t) function nereus_distributed_count(distribution, elements, processes, number) bind(c)
            import
            type(nereus_distribution), intent(in) :: distribution
            integer(c_int64_t), value :: elements
            integer(c_int), value :: processes, number
        end function

        integer(c_int64_t) function nereus_distributed_locate(distribution, elements, processes, element, number) &
            bind(c)
            import
            type(nereus_distribution), intent(in) :: distribution
            integer(c_int64_t), value :: elements, element
            integer(c_int), value :: processes
            integer(c_int), intent(out), optional :: number
        end function
    end interface

contains

    integer(c_int) function redistribute_integer(comm, datatype, elements, from, old_part, to, new_part) result(code)
        integer, intent(in) :: comm, datatype
        integer(c_int64_t), intent(in) :: elements
        type(nereus_distributed), intent(in), target :: from, to
        type(*), intent(in), contiguous, target :: old_part(..)
        type(*), intent(inout), contiguous, target :: new_part(..)
        code = c_redistribute(int(comm, c_int), int(datatype, c_int), elements, in_c(from), c_loc(old_part), in_c(to), &
                              c_loc(new_part))
    end function

    integer(c_int) function redistribute_f08(comm, datatype, elements, from, old_part, to, new_part) result(code)
        type(MPI_Comm), intent(in) :: comm
        type(MPI_Datatype), intent(in) :: datatype
        integer(c_int64_t), intent(in) :: elements
        type(nereus_distributed), intent(in) :: from, to
        type(*), intent(in), contiguous, target :: old_part(..)
        type(*), intent(inout), contiguous, target :: new_part(..)
        code = redistribute_integer(comm%MPI_VAL, datatype%MPI_VAL, elements, from, old_part, to, new_part)
    end function

    integer(c_int) function transpose_integer(comm, datatype, from, old_part, to, new_part) result(code)
        integer, intent(in) :: comm, datatype
        type(nereus_distributed), intent(in), target :: from, to
        type(*), intent(in), contiguous, target :: old_part(..)
        type(*), intent(inout), contiguous, target :: new_part(..)
        code = c_transpose(int(comm, c_int), int(datatype, c_int), in_c(from), c_loc(old_part), in_c(to), &
                           c_loc(new_part))
    end function

    integer(c_int) function transpose_f08(comm, datatype, from, old_part, to, new_part) result(code)
        type(MPI_Comm), intent(in) :: comm
        type(MPI_Datatype), intent(in) :: datatype
        type(nereus_distributed), intent(in) :: from, to
        type(*), intent(in), contiguous, target :: old_part(..)
        type(*), intent(inout), contiguous, target :: new_part(..)
        code = transpose_integer(comm%MPI_VAL, datatype%MPI_VAL, from, old_part, to, new_part)
    end function

    !> The ranks of `to` in the order in which most elements stay; none after an error.
    !> @return elements that stay, or an error
    integer(c_int64_t) function nereus_distributed_relabel(elements, processes, from, to, ranks) result(stays)
        integer(c_int64_t), intent(in) :: elements
        integer, intent(in) :: processes
        type(nereus_distributed), intent(in), target :: from, to
        integer(c_int), allocatable, intent(out) :: ranks(:)
        allocate (ranks(max(0, min(to%processes, processes))))
        stays = c_relabel(elements, int(processes, c_int), in_c(from), in_c(to), ranks)
        if (stays < 0) ranks = [integer(c_int) ::]
    end function

    !> Valid as long as `given`. With more or fewer ranks than processes it is none that C takes, which would read behind
    !> them.
    type(c_distributed) function in_c(given)
        type(nereus_distributed), intent(in), target :: given
        in_c%distribution = c_loc(given%distribution)
        in_c%processes = given%processes
        if (.not. allocated(given%ranks)) return
        in_c%ranks = c_loc(given%ranks)
        if (size(given%ranks) /= given%processes) in_c%processes = 0
    end function
end module
