$ pullback run tests/cli/programs/library.pull twice []
exit 1
! error[E0708]: maximum of an empty array
!    --> tests/cli/programs/library.pull:2:34
!     |
!   2 | def largest (xs: []Real): Real = maximum xs
!     |                                  ^^^^^^^^^^ in this call
!   3 |
!   4 | def twice (xs: []Real): Real = 2.0 * largest xs
!     |                                      ---------- called here
!     |
!    ::: lib/prelude.pull:283:5
!     |
! 283 |     error "maximum of an empty array"
!     |     --------------------------------- this stops the program
!     |
!     = note: the program itself checks this, with `assert` or `error`
!     = help: change the input so that the check holds
!

$ pullback run tests/cli/programs/library.pull first 3
exit 1
! error[E0708]: head of an empty array
!    --> tests/cli/programs/library.pull:6:27
!     |
!   6 | def first (n: Int): Int = head (filter (\i -> i > n) [1, 2, 3])
!     |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in this call
!     |
!    ::: lib/prelude.pull:354:45
!     |
! 354 | def head [n] (xs: [n]a): a = if n == 0 then error "head of an empty array" else xs[0]
!     |                                             ------------------------------ this stops the program
!     |
!     = note: the program itself checks this, with `assert` or `error`
!     = help: change the input so that the check holds
!

$ pullback grad tests/cli/programs/library.pull twice []
exit 1
! error[E0708]: maximum of an empty array
!    --> tests/cli/programs/library.pull:2:34
!     |
!   2 | def largest (xs: []Real): Real = maximum xs
!     |                                  ^^^^^^^^^^ in this call
!   3 |
!   4 | def twice (xs: []Real): Real = 2.0 * largest xs
!     |                                      ---------- called here
!     |
!    ::: lib/prelude.pull:283:5
!     |
! 283 |     error "maximum of an empty array"
!     |     --------------------------------- this stops the program
!     |
!     = note: the program itself checks this, with `assert` or `error`
!     = help: change the input so that the check holds
!

$ pullback grad tests/cli/programs/library.pull twice [] --engine delta
exit 1
! error[E0708]: maximum of an empty array
!    --> tests/cli/programs/library.pull:2:34
!     |
!   2 | def largest (xs: []Real): Real = maximum xs
!     |                                  ^^^^^^^ in this call
!   3 |
!   4 | def twice (xs: []Real): Real = 2.0 * largest xs
!     |                                      ------- called here
!     |
!    ::: lib/prelude.pull:283:5
!     |
! 283 |     error "maximum of an empty array"
!     |     --------------------------------- this stops the program
!     |
!     = note: the program itself checks this, with `assert` or `error`
!     = help: change the input so that the check holds
!

$ pullback run tests/cli/programs/library.pull shifted '[0.0, 1.0, 2.0]'
exit 0
> 3.0

$ pullback grad tests/cli/programs/library.pull composed 1.0 --engine categories
exit 0
> value: 0.6784304773607402
> gradient:
>   x = 0.26450827039595814

$ pullback grad tests/cli/programs/unknown.pull roots 1.0
exit 0
> value: 1.8414709848078965
> gradient:
>   x = -0.45969769413186023

$ pullback grad tests/cli/programs/unknown.pull roots 1.0 --engine delta
exit 0
> value: 1.8414709848078965
> gradient:
>   x = -0.45969769413186023
