! SPDX-License-Identifier: BSD-3-Clause
!> The functions of nereus.h and of handles.c as Fortran sees them. For the module nereus alone.
module nereus_c
    use, intrinsic :: iso_c_binding
    use nereus_types
    implicit none

    interface
        integer(c_int) function c_open(comm, argc, argv, job) bind(c, name="nereus_fortran_open")
            import
            integer(c_int), value :: comm, argc
            type(c_ptr), intent(in) :: argv(*)
            type(c_ptr), intent(out) :: job
        end function

        integer(c_int) function c_close(job) bind(c, name="nereus_close")
            import
            type(c_ptr), intent(inout) :: job
        end function

        integer(c_int) function c_array(job, name, datatype, elements, distribution, kind, place, extent) &
            bind(c, name="nereus_fortran_array")
            import
            type(c_ptr), value :: job
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: datatype
            integer(c_int64_t), value :: elements
            type(nereus_distribution), intent(in) :: distribution
            integer(c_int), value :: kind
            type(c_ptr), value :: place
            integer(c_int64_t), intent(out) :: extent
        end function

        integer(c_int) function c_value(job, name, datatype, elements, place) bind(c, name="nereus_fortran_value")
            import
            type(c_ptr), value :: job
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: datatype
            integer(c_int64_t), value :: elements
            type(c_ptr), value :: place
        end function

        integer(c_int) function c_comm(job) bind(c, name="nereus_fortran_comm")
            import
            type(c_ptr), value :: job
        end function

        integer(c_int) function c_swap(job, one, other) bind(c, name="nereus_swap")
            import
            type(c_ptr), value :: job
            character(kind=c_char), intent(in) :: one(*), other(*)
        end function

        integer(c_int) function c_change_distribution(job, name, distribution) &
            bind(c, name="nereus_change_distribution")
            import
            type(c_ptr), value :: job
            character(kind=c_char), intent(in) :: name(*)
            type(nereus_distribution), intent(in) :: distribution
        end function

        integer(c_int) function c_array_distribution(job, name, distribution) bind(c, name="nereus_array_distribution")
            import
            type(c_ptr), value :: job
            character(kind=c_char), intent(in) :: name(*)
            type(nereus_distribution), intent(inout) :: distribution
        end function

        integer(c_int64_t) function c_count(job, name) bind(c, name="nereus_count")
            import
            type(c_ptr), value :: job
            character(kind=c_char), intent(in) :: name(*)
        end function

        integer(c_int64_t) function c_first(job, name) bind(c, name="nereus_first")
            import
            type(c_ptr), value :: job
            character(kind=c_char), intent(in) :: name(*)
        end function

        integer(c_int64_t) function c_locate(job, name, element, rank) bind(c, name="nereus_locate")
            import
            type(c_ptr), value :: job
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: element
            integer(c_int), intent(out) :: rank
        end function

        integer(c_int) function c_grid(ranks, rows, columns) bind(c, name="nereus_grid")
            import
            integer(c_int), value :: ranks
            integer(c_int), intent(out) :: rows, columns
        end function

        integer(c_int64_t) function c_generation(job) bind(c, name="nereus_generation")
            import
            type(c_ptr), value :: job
        end function

        integer(c_int) function c_resize_options_init(job, options) bind(c, name="nereus_resize_options_init")
            import
            type(c_ptr), value :: job
            type(nereus_resize_options), intent(out) :: options
        end function

        integer(c_int) function c_resize(job, ranks, options, request) bind(c, name="nereus_resize")
            import
            type(c_ptr), value :: job
            integer(c_int), value :: ranks
            type(nereus_resize_options), intent(in), optional :: options
            integer(c_int64_t), intent(out), optional :: request
        end function

        integer(c_int) function c_save(job, stops, request) bind(c, name="nereus_save")
            import
            type(c_ptr), value :: job
            integer(c_int), value :: stops
            integer(c_int64_t), intent(out), optional :: request
        end function

        integer(c_int) function c_protect_now(job, request) bind(c, name="nereus_protect_now")
            import
            type(c_ptr), value :: job
            integer(c_int64_t), intent(out), optional :: request
        end function

        integer(c_int) function c_on_save(name, save, load, context) bind(c, name="nereus_fortran_on_save")
            import
            character(kind=c_char), intent(in) :: name(*)
            type(c_funptr), value :: save, load
            type(c_ptr), value :: context
        end function

        integer(c_int) function c_on_resize(name, function, context) bind(c, name="nereus_fortran_on_resize")
            import
            character(kind=c_char), intent(in) :: name(*)
            type(c_funptr), value :: function
            type(c_ptr), value :: context
        end function

        integer(c_int) function c_checkpoint(job) bind(c, name="nereus_checkpoint")
            import
            type(c_ptr), value :: job
        end function

        integer(c_int) function c_io_begin(job, bytes) bind(c, name="nereus_io_begin")
            import
            type(c_ptr), value :: job
            integer(c_int64_t), value :: bytes
        end function

        integer(c_int) function c_io_end(job) bind(c, name="nereus_io_end")
            import
            type(c_ptr), value :: job
        end function

        integer(c_int) function c_last_resize(job, report) bind(c, name="nereus_last_resize")
            import
            type(c_ptr), value :: job
            type(nereus_resize_report), intent(out) :: report
        end function

        type(c_ptr) function c_message(job) bind(c, name="nereus_message")
            import
            type(c_ptr), value :: job
        end function

        type(c_ptr) function c_version() bind(c, name="nereus_version")
            import
        end function

        type(c_ptr) function c_code_name(code) bind(c, name="nereus_code_name")
            import
            integer(c_int), value :: code
        end function

        integer(c_size_t) function c_strlen(text) bind(c, name="strlen")
            import
            type(c_ptr), value :: text
        end function
    end interface
end module
