! SPDX-License-Identifier: BSD-3-Clause
! What receives.c does in C, in Fortran: messages are received in every way, in each round some of every rank, of sizes
! that it never uses twice. At the end rank 0 prints how many messages all ranks received.
#ifdef WITH_F08
#define MPI_MODULE mpi_f08
#define COMM_TYPE type(MPI_Comm)
#define REQUEST_TYPE type(MPI_Request)
#define MESSAGE_TYPE type(MPI_Message)
#define STATUS_OF(name) type(MPI_Status) :: name
#define STATUSES_OF(name) type(MPI_Status) :: name(most)
#define SOURCE_OF(status) status%MPI_SOURCE
#define SOURCE_IN(statuses, place) statuses(place)%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#else
#define MPI_MODULE mpi
#define COMM_TYPE integer
#define REQUEST_TYPE integer
#define MESSAGE_TYPE integer
#define STATUS_OF(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES_OF(name) integer :: name(MPI_STATUS_SIZE, most)
#define SOURCE_OF(status) status(MPI_SOURCE)
#define SOURCE_IN(statuses, place) statuses(MPI_SOURCE, place)
#define TAG_OF(status) status(MPI_TAG)
#endif
module receives
   use MPI_MODULE
   implicit none
   integer, parameter :: per_round = 3, most = 48, room = 16384, ways = 15
   integer(kind=1), save :: out(room), in(room, most)
   integer, save :: rank, ranks, sent = 0, received = 0, awaited, error
   COMM_TYPE, save :: comm

contains

   subroutine check(holds, what)
      logical, intent(in) :: holds
      character(*), intent(in) :: what
      if (holds) return
      print *, 'receives: rank', rank, ': ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, error)
   end subroutine

   integer function send_all(requests) result(number)
      REQUEST_TYPE, intent(inout) :: requests(most)
      integer :: i, to
      number = 0
      do i = 1, per_round
         do to = 0, ranks - 1
            if (to == rank) cycle
            number = number + 1
            sent = sent + 1
            call MPI_Isend(out, sent, MPI_BYTE, to, mod(i + to, 2), comm, requests(number), error)
         end do
      end do
   end function

   subroutine post(place, request)
      integer, intent(in) :: place
      REQUEST_TYPE, intent(inout) :: request
      call MPI_Irecv(in(1, place), room, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, request, error)
   end subroutine

   subroutine post_all(requests)
      REQUEST_TYPE, intent(inout) :: requests(most)
      integer :: i
      do i = 1, awaited
         call post(i, requests(i))
      end do
   end subroutine

   ! Requests that are ended all, or some of them, at a time.
   subroutine receive_together(way)
      integer, intent(in) :: way
      REQUEST_TYPE :: requests(most)
      STATUSES_OF(statuses)
      integer :: places(most), place, left, number, i
      logical :: done
      call post_all(requests)
      left = awaited
      done = .false.
      select case (way)
      case (1)
         call MPI_Waitall(awaited, requests, MPI_STATUSES_IGNORE, error)
      case (2)
         call MPI_Waitall(awaited, requests, statuses, error)
         do i = 1, awaited
            call check(SOURCE_IN(statuses, i) /= rank, 'a status of nobody')
         end do
      case (3)
         do i = 1, awaited
            call MPI_Waitany(awaited, requests, place, MPI_STATUS_IGNORE, error)
         end do
         call MPI_Waitany(awaited, requests, place, MPI_STATUS_IGNORE, error)
         call check(place == MPI_UNDEFINED, 'a request that has ended ended again')
      case (4)
         do while (left > 0)
            call MPI_Waitsome(awaited, requests, number, places, MPI_STATUSES_IGNORE, error)
            left = left - number
         end do
      case (5)
         do while (.not. done)
            call MPI_Testall(awaited, requests, done, MPI_STATUSES_IGNORE, error)
         end do
      case (6)
         do while (left > 0)
            call MPI_Testany(awaited, requests, place, done, MPI_STATUS_IGNORE, error)
            if (done) left = left - 1
         end do
      case (7)
         do while (left > 0)
            call MPI_Testsome(awaited, requests, number, places, statuses, error)
            left = left - number
         end do
      end select
   end subroutine

   subroutine receive_one(way, place)
      integer, intent(in) :: way, place
      REQUEST_TYPE :: request
      MESSAGE_TYPE :: message
      STATUS_OF(status)
      logical :: done
      done = .false.
      select case (way)
      case (8)
         call MPI_Recv(in, room, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE, error)
      case (9)
         call post(place, request)
         call MPI_Wait(request, status, error)
         call check(SOURCE_OF(status) /= rank, 'a status of nobody')
      case (10)
         call post(place, request)
         call MPI_Wait(request, MPI_STATUS_IGNORE, error)
      case (11)
         call post(place, request)
         do while (.not. done)
            call MPI_Test(request, done, MPI_STATUS_IGNORE, error)
         end do
      case (12)
         call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, status, error)
         call MPI_Recv(in, room, MPI_BYTE, SOURCE_OF(status), TAG_OF(status), comm, MPI_STATUS_IGNORE, error)
      case (13)
         call MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, message, MPI_STATUS_IGNORE, error)
         call MPI_Mrecv(in, room, MPI_BYTE, message, MPI_STATUS_IGNORE, error)
      case (14)
         do while (.not. done)
            call MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, done, message, MPI_STATUS_IGNORE, error)
         end do
         call MPI_Imrecv(in, room, MPI_BYTE, message, request, error)
         call MPI_Wait(request, MPI_STATUS_IGNORE, error)
      end select
   end subroutine

   subroutine start_again_and_again()
      REQUEST_TYPE :: request
      integer :: i
      call MPI_Recv_init(in, room, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, request, error)
      do i = 1, awaited
         call MPI_Start(request, error)
         call MPI_Wait(request, MPI_STATUS_IGNORE, error)
      end do
      call MPI_Request_free(request, error)
   end subroutine

   subroutine one_round(way)
      integer, intent(in) :: way
      REQUEST_TYPE :: requests(most)
      integer :: number, i
      number = send_all(requests)
      if (way <= 7) then
         call receive_together(way)
      else if (way == ways) then
         call start_again_and_again()
      else
         do i = 1, awaited
            call receive_one(way, i)
         end do
      end if
      call MPI_Waitall(number, requests, MPI_STATUSES_IGNORE, error)
      received = received + awaited
      call MPI_Barrier(comm, error)
   end subroutine

   ! To oneself where there is one rank.
   subroutine exchange_around()
      integer :: next, previous
      next = mod(rank + 1, ranks)
      previous = mod(rank + ranks - 1, ranks)
      sent = sent + 1
      call MPI_Sendrecv(out, sent, MPI_BYTE, next, 5, in, room, MPI_BYTE, previous, 5, comm, MPI_STATUS_IGNORE, error)
      sent = sent + 1
      call MPI_Sendrecv_replace(in, sent, MPI_BYTE, next, 6, previous, 6, comm, MPI_STATUS_IGNORE, error)
      received = received + 2
   end subroutine

end module receives

program receives_in_fortran
   use receives
   implicit none
   COMM_TYPE :: copy
   integer :: way, all
   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
   call check(ranks <= 8, 'at most 8 ranks')
   awaited = per_round*(ranks - 1)
   out = 0
   call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
   do way = 1, ways
      comm = MPI_COMM_WORLD
      if (mod(way, 2) == 1) comm = copy
      call one_round(way)
      call exchange_around()
   end do
   call MPI_Reduce(received, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
   if (rank == 0) print '(i0, a)', all, ' messages'
   call MPI_Comm_free(copy, error)
   call MPI_Finalize(error)
end program receives_in_fortran
