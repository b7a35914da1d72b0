! SPDX-License-Identifier: BSD-3-Clause
!> The numbers and structures of nereus.h, which explains them. Programs use the module nereus, which brings them.
module nereus_types
    use, intrinsic :: iso_c_binding
    implicit none

    ! enum nereus_code
    integer(c_int), parameter :: NEREUS_OK = 0
    integer(c_int), parameter :: NEREUS_GO_ON = 0
    integer(c_int), parameter :: NEREUS_RESIZED = 1
    integer(c_int), parameter :: NEREUS_LEAVE = 2
    integer(c_int), parameter :: NEREUS_WOKEN = 3
    integer(c_int), parameter :: NEREUS_UNCHANGED = 4
    integer(c_int), parameter :: NEREUS_PENDING = 5
    integer(c_int), parameter :: NEREUS_REDUCED = 6
    integer(c_int), parameter :: NEREUS_NO_TURN = 7
    integer(c_int), parameter :: NEREUS_ERR_ARGUMENT = -1
    integer(c_int), parameter :: NEREUS_ERR_ROOT = -2
    integer(c_int), parameter :: NEREUS_ERR_RANGE = -3
    integer(c_int), parameter :: NEREUS_ERR_NAME = -4
    integer(c_int), parameter :: NEREUS_ERR_MISMATCH = -5
    integer(c_int), parameter :: NEREUS_ERR_MEMORY = -6
    integer(c_int), parameter :: NEREUS_ERR_PROCESS = -7
    integer(c_int), parameter :: NEREUS_ERR_TIMEOUT = -8
    integer(c_int), parameter :: NEREUS_ERR_TRANSFER = -9
    integer(c_int), parameter :: NEREUS_ERR_UNSUPPORTED = -10
    integer(c_int), parameter :: NEREUS_ERR_SETTING = -11
    integer(c_int), parameter :: NEREUS_ERR_MPI = -12
    integer(c_int), parameter :: NEREUS_ERR_STATE = -13

    ! enum nereus_layout
    integer(c_int), parameter :: NEREUS_BLOCK = 0
    integer(c_int), parameter :: NEREUS_REPLICATED = 1
    integer(c_int), parameter :: NEREUS_WEIGHTED = 2
    integer(c_int), parameter :: NEREUS_CYCLIC = 3
    integer(c_int), parameter :: NEREUS_GRID = 4

    ! enum nereus_kind
    integer(c_int), parameter :: NEREUS_CONSTANT = 0
    integer(c_int), parameter :: NEREUS_VARIABLE = 1

    ! enum nereus_process_method
    integer(c_int), parameter :: NEREUS_MERGE = 0
    integer(c_int), parameter :: NEREUS_BASELINE_INTER = 1
    integer(c_int), parameter :: NEREUS_BASELINE_INTRA = 2

    ! enum nereus_process_strategy
    integer(c_int), parameter :: NEREUS_ASYNCHRONOUS = 1
    integer(c_int), parameter :: NEREUS_SINGLE = 2
    integer(c_int), parameter :: NEREUS_MULTIPLE = 4
    integer(c_int), parameter :: NEREUS_PARALLEL = 8
    integer(c_int), parameter :: NEREUS_JOIN = 16
    integer(c_int), parameter :: NEREUS_AUTO = 32

    ! enum nereus_placement
    integer(c_int), parameter :: NEREUS_COMPACT = 0
    integer(c_int), parameter :: NEREUS_SPREAD = 1
    integer(c_int), parameter :: NEREUS_MEASURED = 2

    ! enum nereus_release_unit
    integer(c_int), parameter :: NEREUS_UNIT_JOB = 0
    integer(c_int), parameter :: NEREUS_UNIT_HOST = 1
    integer(c_int), parameter :: NEREUS_UNIT_RANK = 2

    ! enum nereus_transfer_method
    integer(c_int), parameter :: NEREUS_P2P = 0
    integer(c_int), parameter :: NEREUS_COL = 1
    integer(c_int), parameter :: NEREUS_RMA_LOCK = 2
    integer(c_int), parameter :: NEREUS_RMA_LOCKALL = 3
    integer(c_int), parameter :: NEREUS_TRANSFER_AUTO = 4

    ! enum nereus_transfer_strategy
    integer(c_int), parameter :: NEREUS_BLOCKING = 0
    integer(c_int), parameter :: NEREUS_NONBLOCKING = 1
    integer(c_int), parameter :: NEREUS_WAIT_DRAINS = 2
    integer(c_int), parameter :: NEREUS_THREAD = 3
    integer(c_int), parameter :: NEREUS_STRATEGY_AUTO = 4

    ! enum nereus_survivors
    integer(c_int), parameter :: NEREUS_FIRST = 0
    integer(c_int), parameter :: NEREUS_LEAST_MOVEMENT = 1
    integer(c_int), parameter :: NEREUS_SURVIVORS_AUTO = 2

    !> A layout with all that it needs; `weights` is the c_loc of an integer(c_int32_t) array.
    type, bind(c) :: nereus_cut
        integer(c_int) :: layout = NEREUS_BLOCK
        type(c_ptr) :: weights = c_null_ptr
        integer(c_int) :: weight_count = 0
        integer(c_int64_t) :: block = 1
        integer(c_int64_t) :: rows = 0
        integer(c_int64_t) :: columns = 0
        integer(c_int64_t) :: block_rows = 0
        integer(c_int64_t) :: block_columns = 0
    end type

    !> How one resize is carried out. Fill it by nereus_resize_options_init(), then change what differs.
    type, bind(c) :: nereus_resize_options
        integer(c_int) :: process_method = 0
        integer(c_int) :: transfer_method = 0
        integer(c_int) :: transfer_strategy = 0
        integer(c_int) :: survivors = 0
        integer(c_int) :: process_strategies = 0
        integer(c_int) :: placement = 0
        integer(c_int) :: release_unit = 0
        integer(c_int) :: oversubscribe = 0
        integer(c_int) :: allow_fewer = 0
        character(kind=c_char) :: hosts(256) = c_null_char
    end type

    !> What became of a resize. `state`, `reason` and `placed` are read by nereus_text().
    type, bind(c) :: nereus_resize_report
        integer(c_int64_t) :: request = 0
        integer(c_int) :: code = 0
        integer(c_int) :: from = 0
        integer(c_int) :: to = 0
        integer(c_int) :: process_method = 0
        integer(c_int) :: transfer_method = 0
        integer(c_int) :: transfer_strategy = 0
        integer(c_int) :: process_strategies = 0
        real(c_double) :: process_seconds = 0
        real(c_double) :: connect_seconds = 0
        real(c_double) :: constant_seconds = 0
        real(c_double) :: variable_seconds = 0
        real(c_double) :: predicted_seconds = 0
        real(c_double) :: pause_seconds = 0
        integer(c_int64_t) :: background_iterations = 0
        integer(c_int64_t) :: constant_bytes = 0
        integer(c_int64_t) :: variable_bytes = 0
        integer(c_int64_t) :: shared_bytes = 0
        integer(c_int64_t) :: bytes_minimum = 0
        integer(c_int) :: verified = 0
        integer(c_int) :: woken = 0
        integer(c_int) :: left = 0
        integer(c_int) :: parked = 0
        real(c_double) :: usual_between_hosts = 0
        real(c_double) :: between_hosts = 0
        character(kind=c_char) :: state(16) = c_null_char
        character(kind=c_char) :: reason(256) = c_null_char
        character(kind=c_char) :: placed(256) = c_null_char
    end type
end module
