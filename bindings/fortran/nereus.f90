! SPDX-License-Identifier: BSD-3-Clause
!> Nereus for Fortran: nereus.h, with Fortran's strings, pointers and MPI handles (of mpi_f08, or integers).
!>
!>     do
!>         if (nereus_open(MPI_COMM_WORLD, job) /= NEREUS_OK) exit
!>         code = nereus_array(job, "x", MPI_DOUBLE_PRECISION, n, NEREUS_BLOCK, NEREUS_VARIABLE, part)
!>         code = nereus_value(job, "step", step)
!>         do while (step < last)
!>             call nereus_view(part, x)
!>             ... compute on x(1 : size(x)) with nereus_comm(job) ...
!>             step = step + 1
!>             if (nereus_checkpoint(job) == NEREUS_LEAVE) exit
!>         end do
!>         if (nereus_close(job) /= NEREUS_WOKEN) exit
!>     end do
!>
!> Functions mean what nereus.h says of those of the same name, and return the same codes. Two are called otherwise,
!> since Fortran does not tell nereus_first from NEREUS_FIRST: nereus_first_element and nereus_grid_of.
module nereus
    use, intrinsic :: iso_c_binding
    use mpi_f08, only: MPI_BYTE, MPI_Comm, MPI_Datatype
    use nereus_types
    use nereus_c
    use nereus_distributed_arrays
    use nereus_own_data
    use nereus_texts, only: c_text, nereus_text, text_at
    implicit none
    private

    public :: nereus_job, nereus_part, nereus_distribution, nereus_resize_options, nereus_resize_report
    public :: nereus_open, nereus_close, nereus_array, nereus_value, nereus_view, nereus_comm, nereus_comm_integer
    public :: nereus_swap, nereus_count, nereus_first_element, nereus_locate, nereus_place, nereus_grid_of, nereus_generation
    public :: nereus_resize_options_init, nereus_set_hosts, nereus_resize, nereus_checkpoint, nereus_last_resize
    public :: nereus_save, nereus_protect_now
    public :: nereus_pieces, nereus_sides, nereus_on_save, nereus_on_resize
    public :: nereus_save_pieces, nereus_load_pieces, nereus_redistribution
    public :: nereus_io_begin, nereus_io_end
    public :: nereus_change_distribution, nereus_array_distribution
    public :: nereus_distributed, nereus_redistribute, nereus_transpose, nereus_distributed_count, nereus_distributed_locate
    public :: nereus_distributed_relabel
    public :: nereus_message, nereus_version, nereus_code_name, nereus_text

    include 'nereus_public_numbers.inc'

    !> Where the library keeps the address of a part: it must not move until the job is closed.
    type :: address_cell
        type(c_ptr) :: address = c_null_ptr
        type(address_cell), pointer :: next => null()
    end type

    !> A malleable job as one of its processes sees it.
    type :: nereus_job
        private
        type(c_ptr) :: handle = c_null_ptr
        type(address_cell), pointer :: cells => null()
    end type

    !> This process' part of an array, until the job is closed.
    type :: nereus_part
        private
        type(c_ptr) :: job = c_null_ptr
        type(address_cell), pointer :: cell => null()
        character(kind=c_char, len=:), allocatable :: name
        integer(c_int64_t) :: extent = 0
    end type

    !> Open the job: as nereus_open() with the program's own arguments. `comm` is a type(MPI_Comm) or an integer.
    interface nereus_open
        procedure open_f08, open_integer
    end interface

    !> Register an array whose memory the library owns: with a layout, or with a nereus_distribution, whose weights are
    !> copied.
    !> `datatype` is a type(MPI_Datatype) or an integer.
    interface nereus_array
        procedure array_f08, array_integer, array_distributed_f08, array_distributed_integer
    end interface

    !> Register a value, which has the attribute `target` and lives until the job is closed: an integer of 4 or 8 bytes
    !> or a real of 8; or, by its c_loc, any number of elements of a datatype.
    interface nereus_value
        procedure value_int32, value_int64, value_real64, value_f08, value_integer
    end interface

    !> Set a pointer to the present part: to be called again after each NEREUS_RESIZED. Rank 1: all its numbers;
    !> rank 2: one column for each element, so that the datatype of an element holds size(view, 1) numbers.
    interface nereus_view
        procedure view_real64_1, view_real64_2, view_real32_1, view_real32_2
        procedure view_int64_1, view_int64_2, view_int32_1, view_int32_2
    end interface

contains

    integer(c_int) function open_integer(comm, job) result(code)
        integer, intent(in) :: comm
        type(nereus_job), intent(out) :: job
        integer :: i, length, longest
        longest = 0
        do i = 0, command_argument_count()
            call get_command_argument(i, length=length)
            longest = max(longest, length)
        end do
        code = open_with_arguments(comm, longest + 1, job)
    end function

    !> Hands the program's name and arguments over as main() of C gets them, each of fewer than `room` characters.
    integer(c_int) function open_with_arguments(comm, room, job) result(code)
        integer, intent(in) :: comm, room
        type(nereus_job), intent(inout) :: job
        character(kind=c_char, len=room), target :: words(0:command_argument_count())
        type(c_ptr) :: argv(0:command_argument_count() + 1)
        integer :: i, length
        argv = c_null_ptr
        do i = 0, command_argument_count()
            call get_command_argument(i, words(i), length)
            words(i)(length + 1:) = c_null_char
            argv(i) = c_loc(words(i))
        end do
        code = c_open(int(comm, c_int), int(size(words), c_int), argv, job%handle)
    end function

    integer(c_int) function open_f08(comm, job) result(code)
        type(MPI_Comm), intent(in) :: comm
        type(nereus_job), intent(out) :: job
        code = open_integer(comm%MPI_VAL, job)
    end function

    integer(c_int) function nereus_close(job) result(code)
        type(nereus_job), intent(inout) :: job
        type(address_cell), pointer :: cell
        code = c_close(job%handle)
        do while (associated(job%cells))
            cell => job%cells
            job%cells => cell%next
            deallocate (cell)
        end do
    end function

    integer(c_int) function array_distributed_integer(job, name, datatype, elements, distribution, kind, part) &
            result(code)
        type(nereus_job), intent(inout) :: job
        character(len=*), intent(in) :: name
        integer, intent(in) :: datatype
        integer(c_int64_t), intent(in) :: elements
        type(nereus_distribution), intent(in) :: distribution
        integer(c_int), intent(in) :: kind
        type(nereus_part), intent(out) :: part
        part%job = job%handle
        part%name = c_text(name)
        allocate (part%cell)
        part%cell%next => job%cells
        job%cells => part%cell
        code = c_array(job%handle, part%name, int(datatype, c_int), elements, distribution, kind, &
                       c_loc(part%cell%address), part%extent)
    end function

    integer(c_int) function array_distributed_f08(job, name, datatype, elements, distribution, kind, part) result(code)
        type(nereus_job), intent(inout) :: job
        character(len=*), intent(in) :: name
        type(MPI_Datatype), intent(in) :: datatype
        integer(c_int64_t), intent(in) :: elements
        type(nereus_distribution), intent(in) :: distribution
        integer(c_int), intent(in) :: kind
        type(nereus_part), intent(out) :: part
        code = array_distributed_integer(job, name, datatype%MPI_VAL, elements, distribution, kind, part)
    end function

    integer(c_int) function array_integer(job, name, datatype, elements, layout, kind, part) result(code)
        type(nereus_job), intent(inout) :: job
        character(len=*), intent(in) :: name
        integer, intent(in) :: datatype
        integer(c_int64_t), intent(in) :: elements
        integer(c_int), intent(in) :: layout, kind
        type(nereus_part), intent(out) :: part
        code = array_distributed_integer(job, name, datatype, elements, nereus_distribution(layout=layout), kind, part)
    end function

    integer(c_int) function array_f08(job, name, datatype, elements, layout, kind, part) result(code)
        type(nereus_job), intent(inout) :: job
        character(len=*), intent(in) :: name
        type(MPI_Datatype), intent(in) :: datatype
        integer(c_int64_t), intent(in) :: elements
        integer(c_int), intent(in) :: layout, kind
        type(nereus_part), intent(out) :: part
        code = array_integer(job, name, datatype%MPI_VAL, elements, layout, kind, part)
    end function

    integer(c_int) function value_integer(job, name, datatype, elements, place) result(code)
        type(nereus_job), intent(in) :: job
        character(len=*), intent(in) :: name
        integer, intent(in) :: datatype
        integer(c_int64_t), intent(in) :: elements
        type(c_ptr), intent(in) :: place
        code = c_value(job%handle, c_text(name), int(datatype, c_int), elements, place)
    end function

    integer(c_int) function value_f08(job, name, datatype, elements, place) result(code)
        type(nereus_job), intent(in) :: job
        character(len=*), intent(in) :: name
        type(MPI_Datatype), intent(in) :: datatype
        integer(c_int64_t), intent(in) :: elements
        type(c_ptr), intent(in) :: place
        code = value_integer(job, name, datatype%MPI_VAL, elements, place)
    end function

    integer(c_int) function value_int32(job, name, value) result(code)
        type(nereus_job), intent(in) :: job
        character(len=*), intent(in) :: name
        integer(c_int32_t), intent(inout), target :: value
        code = value_f08(job, name, MPI_BYTE, c_sizeof(value), c_loc(value))
    end function

    integer(c_int) function value_int64(job, name, value) result(code)
        type(nereus_job), intent(in) :: job
        character(len=*), intent(in) :: name
        integer(c_int64_t), intent(inout), target :: value
        code = value_f08(job, name, MPI_BYTE, c_sizeof(value), c_loc(value))
    end function

    integer(c_int) function value_real64(job, name, value) result(code)
        type(nereus_job), intent(in) :: job
        character(len=*), intent(in) :: name
        real(c_double), intent(inout), target :: value
        code = value_f08(job, name, MPI_BYTE, c_sizeof(value), c_loc(value))
    end function

    !> How many numbers of some size an element has, and how many elements the part.
    function shape_of(part, bytes) result(lengths)
        type(nereus_part), intent(in) :: part
        integer(c_size_t), intent(in) :: bytes
        integer(c_int64_t) :: lengths(2)
        lengths = [part%extent / int(bytes, c_int64_t), max(0_c_int64_t, nereus_count(part))]
    end function

    subroutine view_real64_2(part, view)
        type(nereus_part), intent(in) :: part
        real(c_double), pointer, intent(out) :: view(:, :)
        call c_f_pointer(part%cell%address, view, shape_of(part, c_sizeof(0.0_c_double)))
    end subroutine

    subroutine view_real64_1(part, view)
        type(nereus_part), intent(in) :: part
        real(c_double), pointer, intent(out) :: view(:)
        call c_f_pointer(part%cell%address, view, [product(shape_of(part, c_sizeof(0.0_c_double)))])
    end subroutine

    subroutine view_real32_2(part, view)
        type(nereus_part), intent(in) :: part
        real(c_float), pointer, intent(out) :: view(:, :)
        call c_f_pointer(part%cell%address, view, shape_of(part, c_sizeof(0.0_c_float)))
    end subroutine

    subroutine view_real32_1(part, view)
        type(nereus_part), intent(in) :: part
        real(c_float), pointer, intent(out) :: view(:)
        call c_f_pointer(part%cell%address, view, [product(shape_of(part, c_sizeof(0.0_c_float)))])
    end subroutine

    subroutine view_int64_2(part, view)
        type(nereus_part), intent(in) :: part
        integer(c_int64_t), pointer, intent(out) :: view(:, :)
        call c_f_pointer(part%cell%address, view, shape_of(part, c_sizeof(0_c_int64_t)))
    end subroutine

    subroutine view_int64_1(part, view)
        type(nereus_part), intent(in) :: part
        integer(c_int64_t), pointer, intent(out) :: view(:)
        call c_f_pointer(part%cell%address, view, [product(shape_of(part, c_sizeof(0_c_int64_t)))])
    end subroutine

    subroutine view_int32_2(part, view)
        type(nereus_part), intent(in) :: part
        integer(c_int32_t), pointer, intent(out) :: view(:, :)
        call c_f_pointer(part%cell%address, view, shape_of(part, c_sizeof(0_c_int32_t)))
    end subroutine

    subroutine view_int32_1(part, view)
        type(nereus_part), intent(in) :: part
        integer(c_int32_t), pointer, intent(out) :: view(:)
        call c_f_pointer(part%cell%address, view, [product(shape_of(part, c_sizeof(0_c_int32_t)))])
    end subroutine

    !> The communicator of the present processes; nereus_comm_integer() for programs of the older modules.
    type(MPI_Comm) function nereus_comm(job) result(comm)
        type(nereus_job), intent(in) :: job
        comm%MPI_VAL = nereus_comm_integer(job)
    end function

    integer function nereus_comm_integer(job) result(comm)
        type(nereus_job), intent(in) :: job
        comm = c_comm(job%handle)
    end function

    !> Swap what two parts hold. Views of them are made anew afterwards; swapping views or parts swaps nothing.
    integer(c_int) function nereus_swap(job, one, other) result(code)
        type(nereus_job), intent(in) :: job
        type(nereus_part), intent(in) :: one, other
        code = c_swap(job%handle, one%name, other%name)
    end function

    !> Give an array another distribution. Views of it are made anew afterwards.
    integer(c_int) function nereus_change_distribution(job, part, distribution) result(code)
        type(nereus_job), intent(in) :: job
        type(nereus_part), intent(in) :: part
        type(nereus_distribution), intent(in) :: distribution
        code = c_change_distribution(job%handle, part%name, distribution)
    end function

    !> How an array is distributed now; `weights` belong to the job.
    integer(c_int) function nereus_array_distribution(job, part, distribution) result(code)
        type(nereus_job), intent(in) :: job
        type(nereus_part), intent(in) :: part
        type(nereus_distribution), intent(out) :: distribution
        code = c_array_distribution(job%handle, part%name, distribution)
    end function

    !> Elements of the part.
    integer(c_int64_t) function nereus_count(part) result(count)
        type(nereus_part), intent(in) :: part
        count = c_count(part%job, part%name)
    end function

    !> Global number, from 0, of the first element of the part.
    integer(c_int64_t) function nereus_first_element(part) result(first)
        type(nereus_part), intent(in) :: part
        first = c_first(part%job, part%name)
    end function

    !> The index, from 0, of a global element, from 0, in the part of `rank`.
    integer(c_int64_t) function nereus_locate(part, element, rank) result(index)
        type(nereus_part), intent(in) :: part
        integer(c_int64_t), intent(in) :: element
        integer, intent(out) :: rank
        index = c_locate(part%job, part%name, element, rank)
    end function

    !> nereus_locate() by its former name, until the next version.
    integer(c_int64_t) function nereus_place(part, element, rank) result(index)
        type(nereus_part), intent(in) :: part
        integer(c_int64_t), intent(in) :: element
        integer, intent(out) :: rank
        index = nereus_locate(part, element, rank)
    end function

    integer(c_int) function nereus_grid_of(ranks, rows, columns) result(code)
        integer, intent(in) :: ranks
        integer, intent(out) :: rows, columns
        code = c_grid(ranks, rows, columns)
    end function

    integer(c_int64_t) function nereus_generation(job) result(generation)
        type(nereus_job), intent(in) :: job
        generation = c_generation(job%handle)
    end function

    integer(c_int) function nereus_resize_options_init(job, options) result(code)
        type(nereus_job), intent(in) :: job
        type(nereus_resize_options), intent(out) :: options
        code = c_resize_options_init(job%handle, options)
    end function

    !> Hosts to add to the job's list: "name:slots,...", 255 characters at most; else NEREUS_ERR_ARGUMENT.
    integer(c_int) function nereus_set_hosts(options, hosts) result(code)
        type(nereus_resize_options), intent(inout) :: options
        character(len=*), intent(in) :: hosts
        integer :: i
        code = NEREUS_ERR_ARGUMENT
        if (len_trim(hosts) >= size(options%hosts)) return
        options%hosts = [(hosts(i:i), i=1, len_trim(hosts)), (c_null_char, i=len_trim(hosts) + 1, size(options%hosts))]
        code = NEREUS_OK
    end function

    integer(c_int) function nereus_resize(job, ranks, options, request) result(code)
        type(nereus_job), intent(in) :: job
        integer, intent(in) :: ranks
        type(nereus_resize_options), intent(in), optional :: options
        integer(c_int64_t), intent(out), optional :: request
        code = c_resize(job%handle, int(ranks, c_int), options, request)
    end function

    !> An epoch at a later checkpoint; if `stop` is .true., the job leaves there.
    integer(c_int) function nereus_save(job, stop, request) result(code)
        type(nereus_job), intent(in) :: job
        logical, intent(in), optional :: stop
        integer(c_int64_t), intent(out), optional :: request
        integer(c_int) :: stops
        stops = 0
        if (present(stop)) stops = merge(1, 0, stop)
        code = c_save(job%handle, stops, request)
    end function

    !> An epoch in memory at a later checkpoint.
    integer(c_int) function nereus_protect_now(job, request) result(code)
        type(nereus_job), intent(in) :: job
        integer(c_int64_t), intent(out), optional :: request
        code = c_protect_now(job%handle, request)
    end function

    integer(c_int) function nereus_checkpoint(job) result(code)
        type(nereus_job), intent(in) :: job
        code = c_checkpoint(job%handle)
    end function

    integer(c_int) function nereus_io_begin(job, bytes) result(code)
        type(nereus_job), intent(in) :: job
        integer(c_int64_t), intent(in) :: bytes
        code = c_io_begin(job%handle, bytes)
    end function

    integer(c_int) function nereus_io_end(job) result(code)
        type(nereus_job), intent(in) :: job
        code = c_io_end(job%handle)
    end function

    integer(c_int) function nereus_last_resize(job, report) result(code)
        type(nereus_job), intent(in) :: job
        type(nereus_resize_report), intent(out) :: report
        code = c_last_resize(job%handle, report)
    end function

    function nereus_message(job) result(text)
        type(nereus_job), intent(in) :: job
        character(len=:), allocatable :: text
        text = text_at(c_message(job%handle))
    end function

    function nereus_version() result(text)
        character(len=:), allocatable :: text
        text = text_at(c_version())
    end function

    function nereus_code_name(code) result(text)
        integer, intent(in) :: code
        character(len=:), allocatable :: text
        text = text_at(c_code_name(int(code, c_int)))
    end function
end module
