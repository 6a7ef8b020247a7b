! A function inside of a function, which is not at the top of the unit.
module m
contains
  subroutine work(a, n)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    integer :: i
    do i = 1, n
      a(i) = square(a(i)) + 1.0
    end do
  contains
    real function square(x)
      real, intent(in) :: x
      square = x * x * sin(x)
    end function
  end subroutine
end module
program p
  use m
  real :: a(100)
  a = 2.0
  call work(a, 100)
  print *, sum(a)
end program
