! SPDX-License-Identifier: BSD-3-Clause
!> Data of the program's own, which its functions save, load and move. Programs use the module nereus, which brings it.
module nereus_own_data
    use, intrinsic :: iso_c_binding
    use nereus_types
    use nereus_c, only: c_on_resize, c_on_save
    use nereus_texts, only: c_text
    implicit none

    !> Functions of the program. They return 0, or anything else to refuse; `comm` and that in `sides` are integers, and
    !> valid during the call, as `pieces` and `sides` are.
    abstract interface
        integer(c_int) function nereus_save_pieces(pieces, context) bind(c)
            import :: c_int, c_ptr, nereus_pieces
            type(nereus_pieces), intent(out) :: pieces
            type(c_ptr), value :: context
        end function

        integer(c_int) function nereus_load_pieces(comm, pieces, context) bind(c)
            import :: c_int, c_ptr, nereus_pieces
            integer(c_int), value :: comm
            type(nereus_pieces), intent(in) :: pieces
            type(c_ptr), value :: context
        end function

        integer(c_int) function nereus_redistribution(step, sides, context) bind(c)
            import :: c_int, c_ptr, nereus_sides
            integer(c_int), value :: step
            type(nereus_sides), intent(in) :: sides
            type(c_ptr), value :: context
        end function
    end interface

contains

    !> As nereus_on_save(). `context` is handed to both functions.
    integer(c_int) function nereus_on_save(name, save, load, context) result(code)
        character(len=*), intent(in) :: name
        procedure(nereus_save_pieces) :: save
        procedure(nereus_load_pieces) :: load
        type(c_ptr), intent(in), optional :: context
        code = c_on_save(c_text(name), c_funloc(save), c_funloc(load), or_null(context))
    end function

    !> As nereus_on_resize(). `context` is handed to the function.
    integer(c_int) function nereus_on_resize(name, function, context) result(code)
        character(len=*), intent(in) :: name
        procedure(nereus_redistribution) :: function
        type(c_ptr), intent(in), optional :: context
        code = c_on_resize(c_text(name), c_funloc(function), or_null(context))
    end function

    type(c_ptr) function or_null(context)
        type(c_ptr), intent(in), optional :: context
        or_null = c_null_ptr
        if (present(context)) or_null = context
    end function
end module
