! SPDX-License-Identifier: BSD-3-Clause
!> Arrays of any type and rank get any other distribution from Fortran, and a mistake of one process is one of all.
program fortran_redistribute_test
    use, intrinsic :: iso_c_binding
    use mpi_f08
    use nereus
    use expectations
    implicit none

    integer(c_int64_t), parameter :: rows = 6, columns = 7, elements = rows * columns
    type(nereus_distributed) :: sides(5)
    integer(c_int32_t), target :: weights(2) = [3, 1]
    integer :: rank, ranks, i, j

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    sides = [nereus_distributed(nereus_distribution(), ranks), &
             nereus_distributed(nereus_distribution(NEREUS_CYCLIC, block=4), ranks, [(i, i=ranks - 1, 0, -1)]), &
             nereus_distributed(nereus_distribution(NEREUS_GRID, rows=rows, columns=columns, block_rows=2, &
                                                    block_columns=3), ranks), &
             nereus_distributed(nereus_distribution(NEREUS_REPLICATED), 1, [ranks - 1]), &
             nereus_distributed(nereus_distribution(NEREUS_WEIGHTED, c_loc(weights), 2), (ranks + 1) / 2)]
    do i = 1, size(sides)
        do j = 1, size(sides)
            call try_numbers(sides(i), sides(j))
            call try_pairs(sides(i), sides(j))
            call try_relabelling(sides(i), sides(j))
        end do
    end do
    call try_transposing()
    call try_order()
    call try_mistakes()
    call MPI_Finalize()
    if (wrong > 0) error stop

contains

    !> Which of the processes of a side this one is, from 0; -1 if it is none.
    integer(c_int) function number_in(side) result(number)
        type(nereus_distributed), intent(in) :: side
        number = rank
        if (allocated(side%ranks)) number = findloc(side%ranks, rank, dim=1) - 1
        if (number >= side%processes) number = -1
    end function

    integer(c_int64_t) function count_in(side) result(count)
        type(nereus_distributed), intent(in) :: side
        count = 0
        if (number_in(side) >= 0) &
            count = nereus_distributed_count(side%distribution, elements, side%processes, number_in(side))
    end function

    !> What this process has: each element is its number.
    function part_of(side) result(part)
        type(nereus_distributed), intent(in) :: side
        real(c_double), allocatable :: part(:)
        integer(c_int64_t) :: element, place
        integer(c_int) :: number
        allocate (part(count_in(side)), source=-1.0_c_double)
        do element = 0, elements - 1
            place = nereus_distributed_locate(side%distribution, elements, side%processes, element, number)
            if (number == number_in(side)) part(place + 1) = real(element, c_double)
        end do
    end function

    subroutine try_numbers(from, to)
        type(nereus_distributed), intent(in) :: from, to
        real(c_double), allocatable :: moved(:)
        allocate (moved(count_in(to)), source=-2.0_c_double)
        call expect(nereus_redistribute(MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, elements, from, part_of(from), to, moved) &
                    == NEREUS_OK, "any two sides are possible")
        call expect(all(nint(moved) == nint(part_of(to))), "each number is where it belongs")
    end subroutine

    !> The same with handles that are integers, and columns that do not lie side by side.
    subroutine try_pairs(from, to)
        type(nereus_distributed), intent(in) :: from, to
        integer(c_int32_t), allocatable :: pairs(:, :), moved(:, :)
        type(MPI_Datatype) :: pair
        allocate (pairs(2, 2 * count_in(from)), moved(2, 2 * count_in(to)))
        pairs(1, ::2) = nint(part_of(from))
        pairs(2, ::2) = -pairs(1, ::2)
        moved = -2
        call MPI_Type_contiguous(2, MPI_INTEGER4, pair)
        call expect(nereus_redistribute(MPI_COMM_WORLD%MPI_VAL, pair%MPI_VAL, elements, from, pairs(:, ::2), to, &
                                        moved(:, ::2)) == NEREUS_OK, "handles may be integers")
        call expect(all(moved(1, ::2) == nint(part_of(to))), "each column is where it belongs")
        call expect(all(moved(2, ::2) == -moved(1, ::2)), "the other row is too")
        call expect(all(moved(:, 2::2) == -2), "what is between is left alone")
        call MPI_Type_free(pair)
    end subroutine

    !> In the order that keeps most, as many as are said to stay do so, and everything still comes to its place.
    subroutine try_relabelling(from, to)
        type(nereus_distributed), intent(in) :: from, to
        type(nereus_distributed) :: relabelled
        integer(c_int), allocatable :: order(:)
        integer(c_int64_t) :: stays
        relabelled = to
        stays = nereus_distributed_relabel(elements, ranks, from, to, order)
        call expect(size(order) == to%processes, "each process of the new side has a rank")
        relabelled%ranks = order
        call expect(stays == staying(from, relabelled), "as many stay as it says")
        call expect(stays >= staying(from, to), "no fewer stay than before")
        call try_numbers(from, relabelled)
    end subroutine

    !> Elements that are on their processes already.
    integer(c_int64_t) function staying(from, to)
        type(nereus_distributed), intent(in) :: from, to
        real(c_double), allocatable :: before(:), after(:)
        integer(c_int64_t) :: here
        before = part_of(from)
        after = part_of(to)
        here = count([(any(nint(before) == nint(after(i))), i=1, size(after))], kind=c_int64_t)
        call MPI_Allreduce(here, staying, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    end function

    !> From one row of processes to one column of them.
    subroutine try_transposing()
        type(nereus_distributed) :: from, to
        real(c_double), allocatable :: moved(:), wanted(:)
        integer(c_int64_t) :: element, place
        integer(c_int) :: number
        from = nereus_distributed(nereus_distribution(NEREUS_GRID, rows=rows, columns=columns, block_rows=2, &
                                                      block_columns=3, grid_rows=1), ranks)
        to = nereus_distributed(nereus_distribution(NEREUS_GRID, rows=columns, columns=rows, block_rows=1, &
                                                    block_columns=2, grid_columns=1), ranks)
        allocate (moved(count_in(to)), wanted(count_in(to)))
        do element = 0, elements - 1
            place = nereus_distributed_locate(to%distribution, elements, to%processes, element, number)
            if (number == rank) wanted(place + 1) = real(mod(element, rows) * columns + element / rows, c_double)
        end do
        moved = -2
        call expect(nereus_transpose(MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, from, part_of(from), to, moved) == &
                    NEREUS_OK, "a matrix is transposed")
        call expect(all(nint(moved) == nint(wanted)), "each number is at its place in the transposed matrix")
        moved = -2
        call expect(nereus_transpose(MPI_COMM_WORLD%MPI_VAL, MPI_DOUBLE_PRECISION%MPI_VAL, from, part_of(from), to, &
                                     moved) == NEREUS_OK, "handles may be integers")
        call expect(all(nint(moved) == nint(wanted)), "each number is there again")
        call expect(nereus_transpose(MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, from, part_of(from), from, moved) == &
                    NEREUS_ERR_ARGUMENT, "rows and columns change places")
    end subroutine

    !> What goes to the same ranks in another order stays where it is.
    subroutine try_order()
        type(nereus_distributed) :: forward, backward
        integer(c_int), allocatable :: order(:)
        integer :: each
        forward = nereus_distributed(nereus_distribution(), 4)
        backward = nereus_distributed(nereus_distribution(), 4, [3, 2, 1, 0])
        call expect(nereus_distributed_relabel(40_c_int64_t, 4, forward, backward, order) == 40, "all of it stays")
        call expect(all(order == [(each, each=0, 3)]), "in the former order")
        backward%ranks = [3, 2]
        call expect(nereus_distributed_relabel(40_c_int64_t, 4, forward, backward, order) == NEREUS_ERR_ARGUMENT, &
                    "ranks are as many as processes")
        call expect(size(order) == 0, "there is no order")
    end subroutine

    subroutine try_mistakes()
        type(nereus_distributed) :: all_but_one
        real(c_double) :: part(elements), moved(elements)
        part = 0
        moved = -2
        all_but_one = sides(1)
        if (rank == ranks - 1) all_but_one%ranks = [integer(c_int) ::]
        call expect(nereus_redistribute(MPI_COMM_WORLD, MPI_DOUBLE_PRECISION, elements, sides(1), part, all_but_one, &
                                        moved) == NEREUS_ERR_ARGUMENT, "a process has no ranks")
        call expect(nereus_redistribute(MPI_COMM_NULL, MPI_DOUBLE_PRECISION, elements, sides(1), part, sides(1), moved) &
                    == NEREUS_ERR_ARGUMENT, "no communicator")
        call expect(all(nint(moved) == -2), "nothing was moved")
        call expect(nereus_distributed_count(nereus_distribution(), 10_c_int64_t, 3, 3) == NEREUS_ERR_ARGUMENT, &
                    "no process has this number")
        call expect(nereus_distributed_count(nereus_distribution(), 10_c_int64_t, 3, 0) == 4, "the first has more")
        call expect(nereus_distributed_locate(nereus_distribution(), 10_c_int64_t, 3, 9_c_int64_t) == 2, &
                    "who has it need not be asked")
        call expect(nereus_distributed_locate(nereus_distribution(), 10_c_int64_t, 3, 10_c_int64_t) == NEREUS_ERR_RANGE, &
                    "there is no such element")
    end subroutine
end program
