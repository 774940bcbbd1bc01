$ pullback build tests/embed/library.pull text -o /tmp/unused
exit 1
! error[E0822]: `text` cannot be called from C: it has a String
!   --> tests/embed/library.pull:33:5
!    |
! 33 | def text (x: Real): String = "no"
!    |     ^^^^ defined here
!    |
!    = note: C gives and takes numbers, truth values, arrays of them, and tuples and records of these
!    = help: add a definition with parameters and a result of such types that calls it
!

$ pullback build tests/embed/library.pull total -o /tmp/unused
exit 1
! error[E0822]: `total` cannot be called from C: it has a value of a sum type
!  --> tests/embed/library.pull:8:5
!   |
! 8 | def total (t: Tree): Real =
!   |     ^^^^^ defined here
!   |
!   = note: C gives and takes numbers, truth values, arrays of them, and tuples and records of these
!   = help: add a definition with parameters and a result of such types that calls it
!

$ pullback build tests/embed/library.pull element --wrt y -o /tmp/unused
exit 2
! error[E0811]: no definition of the library has a parameter `y` with Reals
!  |
!  = help: name parameters of the definitions, or leave out `--wrt`
!

$ pullback build tests/embed/library.pull elemnt -o /tmp/unused
exit 2
! error[E0809]: there is no definition `elemnt`
!  |
!  = help: did you mean `element`?
!

$ pullback build tests/embed/library.pull element -o tests/embed/library.pull
exit 2
! error[E0801]: cannot write `tests/embed/library.pull`: File exists (os error 17)
!  |
!  = help: choose another folder with `-o`
!
