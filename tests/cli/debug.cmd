$ pullback grad tests/cli/programs/debug.pull square 2.0 --engine trace
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! y: 4.0
! y: 4.0

$ pullback grad tests/cli/programs/debug.pull square 2.0 --engine dual
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! y: 4.0
! y: 4.0

$ pullback grad tests/cli/programs/debug.pull square 2.0 --engine delta1
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! y: 4.0
! y: 4.0

$ pullback grad tests/cli/programs/debug.pull square 2.0 --engine delta2
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! y: 4.0
! y: 4.0

$ pullback grad tests/cli/programs/debug.pull square 2.0 --engine delta
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! y: 4.0
! y: 4.0

$ pullback grad tests/cli/programs/debug.pull square 2.0 --engine curry-list
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! y: 4.0
! y: 4.0

$ pullback grad tests/cli/programs/debug.pull square 2.0 --engine curry-env
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! y: 4.0
! y: 4.0

$ pullback grad tests/cli/programs/debug.pull square 2.0 --engine categories
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! y: 4.0
! y: 4.0

$ pullback grad tests/cli/programs/debug.pull square 2.0 --engine ir
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! y: 4.0
! y: 4.0

$ pullback grad tests/cli/programs/debug.pull square 2.0 --engine native
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! y: 4.0
! y: 4.0

$ pullback grad tests/cli/programs/debug.pull kept 2.0 --engine trace
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! kept: 4.0

$ pullback grad tests/cli/programs/debug.pull steps [1.0,2.0] --engine trace
exit 0
> value: 12.0
> gradient:
>   xs = [16.0, 4.0]
! scaled: 2.0
! scaled: 4.0
! step: (0, { s = 0.0 })
! same: 2.0
! step: (1, { s = 4.0 })
! same: 2.0

$ pullback run tests/cli/programs/debug.pull fails 2.0 --engine trace
exit 1
! before: 0.0
! error[E0701]: index 2 is out of range for an array of size 2
!   --> tests/cli/programs/debug.pull:16:16
!    |
! 16 |     s + [x, x][int x]
!    |                ^^^^^ this index is 2
!    |
!    = note: the indices of this array are 0 to 1
!    = help: test the index against `size` before using it
!

$ pullback run tests/cli/programs/debug.pull shapes 2.0 --engine trace
exit 0
> 3.0
! shapes: ([Point, Circle (-2.0)], "text", <function: Real -> Real>)

$ pullback grad tests/cli/programs/debug.pull kept 2.0 --engine ir
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! kept: 4.0

$ pullback grad tests/cli/programs/debug.pull steps [1.0,2.0] --engine ir
exit 0
> value: 12.0
> gradient:
>   xs = [16.0, 4.0]
! scaled: 2.0
! scaled: 4.0
! step: (0, { s = 0.0 })
! same: 2.0
! step: (1, { s = 4.0 })
! same: 2.0

$ pullback run tests/cli/programs/debug.pull fails 2.0 --engine ir
exit 1
! before: 0.0
! error[E0701]: index 2 is out of range for an array of size 2
!   --> tests/cli/programs/debug.pull:16:16
!    |
! 16 |     s + [x, x][int x]
!    |                ^^^^^ this index is 2
!    |
!    = note: the indices of this array are 0 to 1
!    = help: test the index against `size` before using it
!

$ pullback run tests/cli/programs/debug.pull shapes 2.0 --engine ir
exit 0
> 3.0
! shapes: ([Point, Circle (-2.0)], "text", <function: Real -> Real>)

$ pullback grad tests/cli/programs/debug.pull kept 2.0 --engine native
exit 0
> value: 4.0
> gradient:
>   x = 4.0
! kept: 4.0

$ pullback grad tests/cli/programs/debug.pull steps [1.0,2.0] --engine native
exit 0
> value: 12.0
> gradient:
>   xs = [16.0, 4.0]
! scaled: 2.0
! scaled: 4.0
! step: (0, { s = 0.0 })
! same: 2.0
! step: (1, { s = 4.0 })
! same: 2.0

$ pullback run tests/cli/programs/debug.pull fails 2.0 --engine native
exit 1
! before: 0.0
! error[E0701]: index 2 is out of range for an array of size 2
!   --> tests/cli/programs/debug.pull:16:16
!    |
! 16 |     s + [x, x][int x]
!    |                ^^^^^ this index is 2
!    |
!    = note: the indices of this array are 0 to 1
!    = help: test the index against `size` before using it
!

$ pullback run tests/cli/programs/debug.pull shapes 2.0 --engine native
exit 0
> 3.0
! shapes: ([Point, Circle (-2.0)], "text", <function: Real -> Real>)

$ pullback grad tests/cli/programs/debug.pull steps [1.0,2.0] --engine ir --max-tape 1
exit 0
> value: 12.0
> gradient:
>   xs = [16.0, 4.0]
! scaled: 2.0
! scaled: 4.0
! step: (0, { s = 0.0 })
! same: 2.0
! step: (1, { s = 4.0 })
! same: 2.0

$ pullback run tests/cli/programs/debug.pull square 2.0 --verbose
exit 0
> 4.0
! y: 4.0
! y: 4.0
! note: the evaluator answered: it tells what it does, once

$ pullback demo tests/cli/programs/debug.pull square
exit 1
! error[E0717]: the language of the working notes has no `debug`
!  --> tests/cli/programs/debug.pull:2:11
!   |
! 2 |   let y = debug "y" (x * x) in
!   |           ^^^^^^^^^^^^^^^^^ this has no form in linear maps
!   |
!   = note: the forms are those of first-order programs over numbers, tuples and arrays
!   = help: run it all the same: `--engine linear-maps` covers the whole language
!
