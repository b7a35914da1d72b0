! SPDX-License-Identifier: BSD-3-Clause
!> A user of Fortran whose data is no array has all of it after a resize, and in the job that continues.
!>
!>     fortran_own_data_test first SIZE    begins, is resized to SIZE, saves and stops
!>     fortran_own_data_test next          continues
module own_numbers
    use, intrinsic :: iso_c_binding
    use mpi_f08
    use nereus
    use expectations
    implicit none

    integer, parameter :: all_numbers = 57
    !> Each number is a piece of its own.
    integer(c_int), allocatable, target :: mine(:), next(:)
    integer(c_int64_t), allocatable, target :: starts(:)
    integer(c_int), target :: loads = 0

contains

    !> What process `rank` of `ranks` has.
    function share(rank, ranks) result(numbers)
        integer, intent(in) :: rank, ranks
        integer(c_int), allocatable :: numbers(:)
        integer :: number
        numbers = [(number, number=all_numbers * rank / ranks + 1, all_numbers * (rank + 1) / ranks)]
    end function

    !> Those of all processes of a communicator, one after the other.
    function everywhere(comm, own) result(all)
        type(MPI_Comm), intent(in) :: comm
        integer(c_int), intent(in) :: own(:)
        integer(c_int), allocatable :: all(:)
        integer, allocatable :: counts(:), first(:)
        integer :: ranks, rank
        call MPI_Comm_size(comm, ranks)
        allocate (counts(ranks), first(ranks))
        call MPI_Allgather(size(own), 1, MPI_INTEGER, counts, 1, MPI_INTEGER, comm)
        first = [(sum(counts(1:rank - 1)), rank=1, ranks)]
        allocate (all(sum(counts)))
        call MPI_Allgatherv(own, size(own), MPI_INTEGER, all, counts, first, MPI_INTEGER, comm)
    end function

    subroutine look(comm)
        type(MPI_Comm), intent(in) :: comm
        integer :: number
        integer(c_int), allocatable :: all(:)
        all = everywhere(comm, mine)
        call expect(size(all) == all_numbers, "no number is lost")
        if (size(all) == all_numbers) call expect(count(all /= [(number, number=1, all_numbers)]) == 0, "in their order")
    end subroutine

    integer(c_int) function hand_out(pieces, context) bind(c)
        type(nereus_pieces), intent(out) :: pieces
        type(c_ptr), value :: context
        integer :: number
        call expect(c_associated(context, c_loc(loads)), "the context is handed out")
        starts = [(int(4 * number, c_int64_t), number=0, size(mine))]
        pieces%count = size(mine)
        pieces%starts = c_loc(starts)
        pieces%bytes = c_loc(mine)
        hand_out = 0
    end function

    integer(c_int) function take(comm, pieces, context) bind(c)
        integer(c_int), value :: comm
        type(nereus_pieces), intent(in) :: pieces
        type(c_ptr), value :: context
        integer(c_int), pointer :: counted, numbers(:)
        type(MPI_Comm) :: all
        call c_f_pointer(context, counted)
        counted = counted + 1
        call c_f_pointer(pieces%bytes, numbers, [pieces%count])
        mine = numbers
        all%MPI_VAL = comm
        call look(all)
        take = 0
    end function

    integer(c_int) function move(step, sides, context) bind(c)
        integer(c_int), value :: step
        type(nereus_sides), intent(in) :: sides
        type(c_ptr), value :: context
        type(MPI_Comm) :: comm
        integer(c_int), allocatable :: all(:)
        integer(c_int), pointer :: ranks(:)
        integer :: rank
        call expect(.not. c_associated(context), "no context was given")
        if (step == NEREUS_MOVE) then
            comm%MPI_VAL = sides%comm
            if (sides%source < 0) mine = [integer(c_int) ::]
            all = everywhere(comm, mine)
            call MPI_Comm_rank(comm, rank)
            call c_f_pointer(sides%drain_ranks, ranks, [sides%drains])
            next = [integer(c_int) ::]
            if (sides%drain >= 0) then
                call expect(ranks(sides%drain + 1) == rank, "drains know their ranks")
                next = all(all_numbers * sides%drain / sides%drains + 1:all_numbers * (sides%drain + 1) / sides%drains)
            end if
        else if (step == NEREUS_ADOPT) then
            mine = next
        end if
        move = 0
    end function
end module

program fortran_own_data_test
    use own_numbers
    implicit none

    type(nereus_job) :: job
    type(MPI_Comm) :: parent
    character(len=16) :: mode
    integer :: length

    call get_command_argument(1, mode, length)
    call MPI_Init()
    call MPI_Comm_get_parent(parent)
    call expect(nereus_on_save("", hand_out, take) == NEREUS_ERR_ARGUMENT, "a name is needed")
    call expect(nereus_on_save("numbers", hand_out, take, c_loc(loads)) == NEREUS_OK, "functions are taken")
    call expect(nereus_on_resize("numbers", move) == NEREUS_OK, "a function is taken")
    do
        if (nereus_open(MPI_COMM_WORLD, job) == NEREUS_OK) call iterate()
        if (nereus_close(job) /= NEREUS_WOKEN) exit
    end do
    call MPI_Finalize()
    if (wrong > 0) error stop

contains

    subroutine iterate()
        type(MPI_Comm) :: comm
        integer :: rank, ranks
        integer(c_int) :: code
        logical :: resizes, saves
        comm = nereus_comm(job)
        call MPI_Comm_rank(comm, rank)
        call MPI_Comm_size(comm, ranks)
        if (nereus_generation(job) == 0) mine = share(rank, ranks)
        call expect(loads == merge(1, 0, mode == "next" .and. parent == MPI_COMM_NULL), "who continues takes pieces")
        if (rank == 0) call expect(nereus_protect_now(job) == NEREUS_ERR_UNSUPPORTED, "epochs in memory need a folder")
        resizes = rank == 0 .and. mode == "first" .and. nereus_generation(job) == 0
        saves = rank == 0 .and. mode == "next"
        if (resizes) call expect(nereus_resize(job, size_asked()) == NEREUS_OK, "a resize is asked for")
        do
            call look(nereus_comm(job))
            if (saves) call expect(nereus_save(job, stop=.true.) == NEREUS_OK, "an epoch is asked for")
            code = nereus_checkpoint(job)
            if (code == NEREUS_LEAVE) exit
            saves = resizes .and. code == NEREUS_RESIZED
            if (wrong > 0) call MPI_Abort(MPI_COMM_WORLD, 1)
        end do
    end subroutine

    integer function size_asked()
        character(len=16) :: word
        call get_command_argument(2, word)
        read (word, *) size_asked
    end function
end program
