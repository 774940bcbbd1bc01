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
!    ::: lib/prelude.pull:271:5
!     |
! 271 |     error "maximum of an empty array"
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
!    ::: lib/prelude.pull:342:45
!     |
! 342 | def head [n] (xs: [n]a): a = if n == 0 then error "head of an empty array" else xs[0]
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
!    ::: lib/prelude.pull:271:5
!     |
! 271 |     error "maximum of an empty array"
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
!    ::: lib/prelude.pull:271:5
!     |
! 271 |     error "maximum of an empty array"
!     |     --------------------------------- this stops the program
!     |
!     = note: the program itself checks this, with `assert` or `error`
!     = help: change the input so that the check holds
!

$ pullback run tests/cli/programs/library.pull shifted '[0.0, 1.0, 2.0]'
exit 0
> 3.0

$ pullback grad tests/cli/programs/library.pull composed 1.0 --engine categories
exit 1
! error[E0717]: the engine `categories` does not cover a function that is not known before the program runs
!    --> tests/cli/programs/library.pull:10:1
!     |
!  10 | def composed (x: Real): Real = (fold (\f i y -> sin (f y)) id (iota 3)) x
!     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reached from here
!     |
!    ::: lib/prelude.pull:176:57
!     |
! 176 | def fold [n] (f: b -> a -> b) (init: b) (xs: [n]a): b = loop acc = init for i < n do f acc xs[i]
!     |                                                         ---------------------------------------- outside the fragment of this engine
!     |
!     = note: each engine covers the part of the language that its paper describes, or more
!     = help: use `--engine trace`, which covers the whole language
!

$ pullback grad tests/cli/programs/unknown.pull roots 1.0
exit 0
> value: 1.8414709848078965
> gradient:
>   x = -0.45969769413186023

$ pullback grad tests/cli/programs/unknown.pull roots 1.0 --engine delta
exit 1
! error[E0717]: the engine `delta` does not cover a derivative of a function that is not known before the program runs
!   --> tests/cli/programs/unknown.pull:6:9
!    |
!  6 |   sum [ (root.newton 1e-9 fs[i] 1.0).0 | i < 2 ]
!    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reached from here
!    |
!   ::: lib/root.pull:80:24
!    |
! 80 |       let (y, slope) = value_and_grad f x in
!    |                        ------------------ outside the fragment of this engine
!    |
!    = note: each engine covers the part of the language that its paper describes, or more
!    = help: use `--engine trace`, which covers the whole language
!
