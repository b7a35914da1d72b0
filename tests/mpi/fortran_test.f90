! SPDX-License-Identifier: BSD-3-Clause
!> What the module nereus has beside nereus.h: structures, texts, pointers, handles, of a job of any size, whose arrays
!> get other layouts.
program fortran_test
    use, intrinsic :: iso_c_binding
    use mpi_f08
    use nereus
    use expectations
    implicit none

    interface
        integer(c_size_t) function size_in_c(structure) bind(c)
            import
            integer(c_int), value :: structure
        end function
    end interface

    type(nereus_job) :: job

    call MPI_Init()
    call look_at_structures()
    call expect(nereus_open(MPI_COMM_NULL%MPI_VAL, job) == NEREUS_ERR_ARGUMENT, "an integer handle is taken")
    do
        if (nereus_open(MPI_COMM_WORLD, job) == NEREUS_OK) call iterate()
        if (nereus_close(job) /= NEREUS_WOKEN) exit
    end do
    call expect(nereus_close(job) == NEREUS_ERR_ARGUMENT, "a closed job is closed")
    call MPI_Finalize()
    if (wrong > 0) error stop

contains

    subroutine look_at_structures()
        type(nereus_distribution), target :: cut
        type(nereus_resize_options), target :: options
        type(nereus_resize_report), target :: report
        call expect(c_sizeof(cut) == size_in_c(1), "nereus_distribution has its size")
        call expect(place(c_loc(cut), c_loc(cut%grid_columns)) == size_in_c(-1), "nereus_distribution has its fields")
        call expect(c_sizeof(options) == size_in_c(2), "nereus_resize_options has its size")
        call expect(place(c_loc(options), c_loc(options%hosts)) == size_in_c(-2), "its fields")
        call expect(c_sizeof(report) == size_in_c(3), "nereus_resize_report has its size")
        call expect(place(c_loc(report), c_loc(report%reason)) == size_in_c(-3), "nereus_resize_report has its fields")
    end subroutine

    integer(c_size_t) function place(whole, part)
        type(c_ptr), intent(in) :: whole, part
        place = int(transfer(part, 0_c_intptr_t) - transfer(whole, 0_c_intptr_t), c_size_t)
    end function

    subroutine iterate()
        type(nereus_part) :: numbers, pairs, dealt, now, before
        integer(c_int64_t), target :: step
        real(c_double), target :: both(2)
        step = 0
        both = [1, 2]
        call register(numbers, pairs, dealt)
        call expect(nereus_array(job, "now", MPI_INTEGER8, 3_c_int64_t, NEREUS_BLOCK, NEREUS_VARIABLE, now) == NEREUS_OK &
                    .and. nereus_array(job, "before", MPI_INTEGER8, 3_c_int64_t, NEREUS_BLOCK, NEREUS_VARIABLE, before) &
                    == NEREUS_OK, "arrays that are swapped")
        call expect(nereus_swap(job, now, numbers) == NEREUS_ERR_MISMATCH, "others are not swapped")
        call expect(nereus_value(job, "step", step) == NEREUS_OK, "a value is taken")
        call expect(nereus_value(job, "both", MPI_DOUBLE_PRECISION, 2_c_int64_t, c_loc(both)) == NEREUS_OK, "c_loc")
        if (nereus_generation(job) == 0) call fill(numbers, pairs, dealt)
        do while (step < 12)
            call change_in_each_step(dealt, step)
            if (step == 2) call ask(nereus_comm(job), 3)
            if (step == 7) call ask(nereus_comm(job), 1)
            call swap_in_each_step(now, before, step)
            step = step + 1
            both(1) = both(1) + 1
            if (nereus_checkpoint(job) == NEREUS_LEAVE) return
            call expect(nint(both(1)) == step + 1 .and. nint(both(2)) == 2, "values travel")
            call look(numbers, pairs)
        end do
        call look_at_texts(dealt)
    end subroutine

    !> An odd number of swaps before each resize; names are those of what they hold now.
    subroutine swap_in_each_step(now, before, step)
        type(nereus_part), intent(in) :: now, before
        integer(c_int64_t), intent(in) :: step
        integer(c_int64_t), pointer :: n(:), b(:)
        call nereus_view(now, n)
        call nereus_view(before, b)
        if (step > 0) call expect(all(n == step) .and. all(b == step - 1), "swapped parts keep their names")
        b = step + 1
        call expect(nereus_swap(job, now, before) == NEREUS_OK, "two arrays of one kind are swapped")
    end subroutine

    subroutine register(numbers, pairs, dealt)
        type(nereus_part), intent(out) :: numbers, pairs, dealt
        type(MPI_Datatype) :: pair
        type(nereus_distribution) :: cut
        call MPI_Type_contiguous(2, MPI_REAL, pair)
        cut%layout = NEREUS_CYCLIC
        cut%block = 3
        call expect(nereus_array(job, "numbers", MPI_INTEGER8%MPI_VAL, 100_c_int64_t, NEREUS_BLOCK, NEREUS_CONSTANT, &
                                 numbers) == NEREUS_OK, "an array is taken")
        call expect(nereus_array(job, "pairs", pair, 40_c_int64_t, NEREUS_BLOCK, NEREUS_VARIABLE, pairs) == NEREUS_OK, &
                    "an array of a derived type is taken")
        call expect(nereus_array(job, "dealt", MPI_INTEGER, 20_c_int64_t, cut, NEREUS_VARIABLE, dealt) == NEREUS_OK, &
                    "a cut is taken")
        call MPI_Type_free(pair)
    end subroutine

    !> Newcomers have registered it as it was at first, and get it as it is now.
    subroutine change_in_each_step(dealt, step)
        type(nereus_part), intent(in) :: dealt
        integer(c_int64_t), intent(in) :: step
        integer(c_int32_t), target :: weights(2)
        type(nereus_distribution) :: ways(3), now
        integer(c_int32_t), pointer :: w(:)
        integer :: way
        weights = [3, 1]
        ways = [nereus_distribution(NEREUS_WEIGHTED, c_loc(weights), 2), nereus_distribution(NEREUS_CYCLIC, block=2), &
                nereus_distribution(NEREUS_GRID, rows=4, columns=5, block_rows=1, block_columns=2)]
        way = int(mod(step, 3_c_int64_t)) + 1
        call look_at_dealt(dealt)
        call expect(nereus_change_distribution(job, dealt, ways(way)) == NEREUS_OK, "an array gets another layout")
        call look_at_dealt(dealt)
        call expect(nereus_change_distribution(job, dealt, ways(way)) == NEREUS_UNCHANGED, "it has it already")
        call expect(nereus_array_distribution(job, dealt, now) == NEREUS_OK, "each array has a distribution")
        call expect(now%layout == ways(way)%layout, "the one it got")
        if (way == 1) then
            call c_f_pointer(now%weights, w, [now%weight_count])
            call expect(all(w == weights), "with its weights")
        end if
        call expect(nereus_change_distribution(job, dealt, nereus_distribution(NEREUS_CYCLIC, block=0)) &
                    == NEREUS_ERR_ARGUMENT, "blocks have elements")
    end subroutine

    !> Each element is its number.
    subroutine look_at_dealt(dealt)
        type(nereus_part), intent(in) :: dealt
        integer(c_int32_t), pointer :: d(:)
        integer(c_int64_t) :: element, place
        integer :: rank, own
        call nereus_view(dealt, d)
        call MPI_Comm_rank(nereus_comm(job), own)
        do element = 0, 19
            place = nereus_locate(dealt, element, rank)
            if (rank == own) call expect(d(place + 1) == element, "each element is where the job says")
        end do
    end subroutine

    subroutine fill(numbers, pairs, dealt)
        type(nereus_part), intent(in) :: numbers, pairs, dealt
        integer(c_int64_t), pointer :: n(:)
        real(c_float), pointer :: p(:, :)
        integer(c_int32_t), pointer :: d(:)
        integer(c_int64_t) :: element, place
        integer :: i, rank, own
        call nereus_view(numbers, n)
        n = [(nereus_first_element(numbers) + i - 1, i=1, size(n))]
        call nereus_view(pairs, p)
        do i = 1, size(p, 2)
            p(:, i) = real(nereus_first_element(pairs) + i) * [1, -1]
        end do
        call nereus_view(dealt, d)
        call MPI_Comm_rank(nereus_comm(job), own)
        do element = 0, 19
            place = nereus_locate(dealt, element, rank)
            if (rank == own) d(place + 1) = int(element, c_int32_t)
        end do
    end subroutine

    subroutine look(numbers, pairs)
        type(nereus_part), intent(in) :: numbers, pairs
        integer(c_int64_t), pointer :: n(:)
        real(c_float), pointer :: p(:, :), flat(:)
        integer :: i
        call nereus_view(numbers, n)
        call expect(size(n) == nereus_count(numbers), "a view has the part's length")
        call expect(all(n == [(nereus_first_element(numbers) + i - 1, i=1, size(n))]), "rank 1 is the part")
        call nereus_view(pairs, p)
        call nereus_view(pairs, flat)
        call expect(size(p, 1) == 2 .and. size(flat) == size(p), "rank 2 has a column for each element")
        call expect(all(nint(p(1, :)) == [(nereus_first_element(pairs) + i, i=1, size(p, 2))]), "rank 2 is the part")
        call expect(all(nint(p(2, :)) == -nint(p(1, :))), "the other row is too")
    end subroutine

    subroutine ask(comm, ranks)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: ranks
        type(nereus_resize_options) :: options
        integer(c_int64_t) :: request
        integer :: rank
        call MPI_Comm_rank(comm, rank)
        call expect(nereus_resize_options_init(job, options) == NEREUS_OK, "there are options")
        options%transfer_method = NEREUS_COL
        if (rank > 0) then
            call expect(nereus_resize(job, ranks) == NEREUS_ERR_ROOT, "rank 0 alone may ask")
        else
            call expect(nereus_resize(job, ranks, options, request) == NEREUS_OK .and. request > 0, "rank 0 may ask")
            call expect(nereus_resize(job, 0, options) == NEREUS_ERR_RANGE, "no job has 0 processes")
            call expect(index(nereus_message(job), "0") > 0, "the message says why")
            call expect(nereus_save(job, stop=.false.) == NEREUS_ERR_UNSUPPORTED, "epochs need a folder")
            call expect(index(nereus_message(job), "--save") > 0, "the message says what is needed")
        end if
    end subroutine

    subroutine look_at_texts(dealt)
        type(nereus_part), intent(in) :: dealt
        type(nereus_resize_report) :: report
        type(nereus_resize_options) :: options
        integer :: rank, rows, columns
        call expect(nereus_last_resize(job, report) == NEREUS_OK, "there is a report")
        call expect(report%code == NEREUS_RESIZED .and. report%from == 3 .and. report%to == 1, "it is the last resize's")
        call expect(report%transfer_method == NEREUS_COL .and. nereus_text(report%reason) == "", "as it was asked for")
        call expect(nereus_set_hosts(options, "n1:2") == NEREUS_OK, "hosts fit")
        call expect(nereus_text(options%hosts) == "n1:2", "hosts are what was set")
        call expect(nereus_set_hosts(options, repeat("n", 256)) == NEREUS_ERR_ARGUMENT, "too many hosts do not")
        call expect(nereus_locate(dealt, 7_c_int64_t, rank) == 7 .and. rank == 0, "rank 0 has all that was dealt out")
        call expect(nereus_place(dealt, 7_c_int64_t, rank) == 7 .and. rank == 0, "by its former name too")
        call expect(nereus_grid_of(6, rows, columns) == NEREUS_OK .and. rows == 2 .and. columns == 3, "a grid")
        call expect(nereus_comm_integer(job) == job_comm(), "both handles are the same")
        call expect(nereus_code_name(NEREUS_ERR_RANGE) == "NEREUS_ERR_RANGE", "codes have names")
        call expect(index(nereus_version(), ".") > 1, "the library has a version")
        call expect(nereus_io_end(job) == NEREUS_ERR_STATE, "no I/O phase is open")
        call expect(nereus_io_begin(job, -1_c_int64_t) == NEREUS_ERR_ARGUMENT, "no phase has fewer than 0 bytes")
        call expect(nereus_io_begin(job, 8_c_int64_t) == NEREUS_OK, "an I/O phase begins")
        call expect(nereus_checkpoint(job) == NEREUS_ERR_STATE, "no checkpoint is within a phase")
        call expect(nereus_io_end(job) == NEREUS_OK, "the phase ends")
        print "(a, i0, a)", "looked at everything after ", nereus_generation(job), " resizes"
    end subroutine

    integer function job_comm()
        type(MPI_Comm) :: comm
        comm = nereus_comm(job)
        job_comm = comm%MPI_VAL
    end function
end program
