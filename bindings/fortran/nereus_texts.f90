! SPDX-License-Identifier: BSD-3-Clause
!> Texts between C, where they end with a null character, and Fortran. For the module nereus, which brings nereus_text.
module nereus_texts
    use, intrinsic :: iso_c_binding
    use nereus_c, only: c_strlen
    implicit none

contains

    !> A text of a nereus_resize_report, without what follows its end.
    pure function nereus_text(characters) result(text)
        character(kind=c_char), intent(in) :: characters(:)
        character(len=:), allocatable :: text
        integer :: i, length
        length = findloc(characters == c_null_char, .true., dim=1) - 1
        if (length < 0) length = size(characters)
        allocate (character(len=length) :: text)
        do i = 1, length
            text(i:i) = characters(i)
        end do
    end function

    !> A name for C; blanks at its end do not count.
    pure function c_text(name) result(text)
        character(len=*), intent(in) :: name
        character(kind=c_char, len=:), allocatable :: text
        text = trim(name)//c_null_char
    end function

    !> What C has at an address.
    function text_at(place) result(text)
        type(c_ptr), intent(in) :: place
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: characters(:)
        text = ""
        if (.not. c_associated(place)) return
        call c_f_pointer(place, characters, [c_strlen(place)])
        text = nereus_text(characters)
    end function
end module
