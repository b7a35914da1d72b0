! SPDX-License-Identifier: BSD-3-Clause
!> The structures of nereus.h, which explains them. Programs use the module nereus, which brings them.
module nereus_types
    use, intrinsic :: iso_c_binding
    use nereus_numbers
    implicit none

    !> A layout with all that it needs; `weights` is the c_loc of an integer(c_int32_t) array.
    type, bind(c) :: nereus_distribution
        integer(c_int) :: layout = NEREUS_BLOCK
        type(c_ptr) :: weights = c_null_ptr
        integer(c_int) :: weight_count = 0
        integer(c_int64_t) :: block = 1
        integer(c_int64_t) :: rows = 0
        integer(c_int64_t) :: columns = 0
        integer(c_int64_t) :: block_rows = 0
        integer(c_int64_t) :: block_columns = 0
        integer(c_int) :: grid_rows = 0
        integer(c_int) :: grid_columns = 0
    end type

    !> Data of the program's own: `starts` is the c_loc of `count` + 1 integer(c_int64_t) numbers, `bytes` that of all.
    type, bind(c) :: nereus_pieces
        integer(c_int64_t) :: count = 0
        type(c_ptr) :: starts = c_null_ptr
        type(c_ptr) :: bytes = c_null_ptr
    end type

    !> Who takes part in a resize; `drain_ranks` is the address of `drains` integer(c_int) numbers.
    type, bind(c) :: nereus_sides
        integer(c_int) :: comm = 0
        integer(c_int) :: sources = 0
        integer(c_int) :: drains = 0
        integer(c_int) :: source = -1
        integer(c_int) :: drain = -1
        type(c_ptr) :: drain_ranks = c_null_ptr
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
