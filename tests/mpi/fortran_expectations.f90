! SPDX-License-Identifier: BSD-3-Clause
!> What tests in Fortran expect, and how much of it was not so.
module expectations
    implicit none

    integer :: wrong = 0

contains

    subroutine expect(good, what)
        logical, intent(in) :: good
        character(len=*), intent(in) :: what
        if (good) return
        wrong = wrong + 1
        print "(a)", "not so: "//what
    end subroutine
end module
