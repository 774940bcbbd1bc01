$ pullback grad tests/cli/programs/kinks.pull product 0 --trace-nan
exit 0
> value: 0.0
> gradient:
>   x = nan
! warning[W0704]: the first NaN is in the derivative of `sqrt 0.0`
!   --> tests/cli/programs/kinks.pull:20:31
!    |
! 20 | def product (x: Real): Real = sqrt x * 0.0
!    |                               ^^^^^^ the value is 0.0
!    |
!    = note: its derivative is inf, the cotangent here is 0.0, and inf times 0.0 is NaN
!    = note: every value up to here is a number
!

$ pullback grad tests/cli/programs/kinks.pull product 0 --trace-nan --engine dual --json
exit 0
> {"value": 0.0, "gradient": {"x": "NaN"}}
! warning[W0704]: the first NaN is in the derivative of `0.0 * 0.0`
!   --> tests/cli/programs/kinks.pull:20:38
!    |
! 20 | def product (x: Real): Real = sqrt x * 0.0
!    |                                      ^ the value is 0.0
!    |
!    = note: its derivative by argument 1 is 0.0, the tangent here is inf, and 0.0 times inf is NaN
!    = note: every value up to here is a number
!

$ pullback jvp tests/cli/programs/kinks.pull product 0 --tangent 1 --trace-nan
exit 0
> value: 0.0
> tangent: nan
! warning[W0704]: the first NaN is in the derivative of `0.0 * 0.0`
!   --> tests/cli/programs/kinks.pull:20:38
!    |
! 20 | def product (x: Real): Real = sqrt x * 0.0
!    |                                      ^ the value is 0.0
!    |
!    = note: its derivative by argument 1 is 0.0, the tangent here is inf, and 0.0 times inf is NaN
!    = note: every value up to here is a number
!

$ pullback grad tests/cli/programs/kinks.pull product 1 --trace-nan
exit 0
> value: 0.0
> gradient:
>   x = 0.0

$ pullback run tests/cli/programs/kinks.pull outside 0.5 --trace-nan
exit 0
> nan
! warning[W0703]: the first NaN is `log (-0.5)`
!   --> tests/cli/programs/kinks.pull:16:31
!    |
! 16 | def outside (x: Real): Real = log (x - 1.0)
!    |                               ^^^^^^^^^^^^^ it arises here
!

$ pullback grad tests/cli/programs/kinks.pull outside 0.5 --trace-nan
exit 0
> value: nan
> gradient:
>   x = nan
! warning[W0703]: the first NaN is `log (-0.5)`
!   --> tests/cli/programs/kinks.pull:16:31
!    |
! 16 | def outside (x: Real): Real = log (x - 1.0)
!    |                               ^^^^^^^^^^^^^ it arises here
!    |
!    = note: it is in the value itself, before any derivative is taken
!

$ pullback grad tests/cli/programs/kinks.pull length 0 0 --trace-nan
exit 0
> value: 0.0
> gradient:
>   x = nan
>   y = nan
! warning[W0704]: the first NaN is in the derivative of `0.0 * 0.0`
!   --> tests/cli/programs/kinks.pull:21:56
!    |
! 21 | def length (x: Real) (y: Real): Real = sqrt (x * x + y * y)
!    |                                                        ^ the value is 0.0
!    |
!    = note: its derivative by argument 1 is 0.0, the cotangent here is inf, and 0.0 times inf is NaN
!    = note: every value up to here is a number
!

$ pullback grad tests/cli/programs/kinks.pull angle 0 0 --trace-nan
exit 0
> value: 0.0
> gradient:
>   y = nan
>   x = nan
! warning[W0704]: the first NaN is in the derivative of `atan2 0.0 0.0`
!   --> tests/cli/programs/kinks.pull:22:39
!    |
! 22 | def angle (y: Real) (x: Real): Real = atan2 y x
!    |                                       ^^^^^^^^^ the value is 0.0
!    |
!    = note: its derivative by argument 1 is NaN at this point
!    = note: every value up to here is a number
!

$ pullback grad tests/cli/programs/kinks.pull cancels '[0.0, -0.0]' --trace-nan
exit 0
> value: nan
> gradient:
>   xs = [-inf, -inf]
! warning[W0703]: the first NaN is a sum with -inf and inf
!   --> tests/cli/programs/kinks.pull:23:34
!    |
! 23 | def cancels (xs: []Real): Real = sum [ 1.0 / x | x <- xs ]
!    |                                  ^^^^^^^^^^^^^^^^^^^^^^^^^ it arises here
!    |
!    = note: it is in the value itself, before any derivative is taken
!

$ pullback run tests/cli/programs/kinks.pull guarded -1 --trace-nan
exit 0
> 0.0
! warning[W0703]: the first NaN is `sqrt (-1.0)`
!   --> tests/cli/programs/kinks.pull:24:41
!    |
! 24 | def guarded (x: Real): Real = if is_nan (sqrt x) then 0.0 else x
!    |                                         ^^^^^^^^ it arises here
!

$ pullback run tests/cli/programs/kinks.pull wished -1 --trace-nan
exit 0
> nan
! warning[W0705]: the program uses `nan`
!   --> tests/cli/programs/kinks.pull:25:46
!    |
! 25 | def wished (x: Real): Real = if x > 0.0 then x else nan
!    |                                              ^ used here
!    |
!   ::: lib/prelude.pull:32:21
!    |
! 32 | def nan: Real = 0.0 / 0.0
!    |                     - in the library, here
!    |
!    = note: this NaN was written, not computed
!

$ pullback run tests/cli/programs/kinks.pull learnt 0 --trace-nan
exit 0
> nan
! warning[W0704]: the first NaN is in the derivative of `0.0 * 0.0`
!   --> tests/cli/programs/kinks.pull:21:48
!    |
! 21 | def length (x: Real) (y: Real): Real = sqrt (x * x + y * y)
!    |                                                ^ the value is 0.0
!    |
!    = note: its derivative by argument 1 is 0.0, the cotangent here is inf, and 0.0 times inf is NaN
!    = note: every value up to here is a number
!

$ pullback run tests/cli/programs/kinks.pull learnt 0 --trace-nan --engine dual
exit 0
> nan
! warning[W0704]: the first NaN is in the derivative of `sqrt 0.0`
!   --> tests/cli/programs/kinks.pull:21:40
!    |
! 21 | def length (x: Real) (y: Real): Real = sqrt (x * x + y * y)
!    |                                        ^^^^^^^^^^^^^^^^^^^^ the value is 0.0
!    |
!    = note: its derivative is inf, the tangent here is 0.0, and inf times 0.0 is NaN
!    = note: every value up to here is a number
!

$ pullback grad tests/cli/programs/kinks.pull ruled -1 --trace-nan
exit 0
> value: -0.8414709848078965
> gradient:
>   x = nan
! warning[W0703]: the first NaN is `log (-1.0)`
!   --> tests/cli/programs/kinks.pull:27:69
!    |
! 27 | def ruled (x: Real): Real = custom_vjp sin (\x -> (sin x, \g -> g * log x)) x
!    |                                                                     ^^^^^ it arises here
!    |
!    = note: this runs for a derivative, in a rule of the program
!

$ pullback grad tests/cli/programs/kinks.pull ruled -1 --trace-nan --engine dual
exit 0
> value: -0.8414709848078965
> gradient:
>   x = nan
! warning[W0703]: the first NaN is `log (-1.0)`
!   --> tests/cli/programs/kinks.pull:27:69
!    |
! 27 | def ruled (x: Real): Real = custom_vjp sin (\x -> (sin x, \g -> g * log x)) x
!    |                                                                     ^^^^^ it arises here
!    |
!    = note: this runs for a derivative, in a rule of the program
!

$ pullback run tests/cli/programs/kinks.pull counted -1 --trace-nan
exit 1
! warning[W0703]: the first NaN is `log (-1.0)`
!   --> tests/cli/programs/kinks.pull:28:34
!    |
! 28 | def counted (x: Real): Int = int (log x)
!    |                                  ^^^^^^^ it arises here
!
! error[E0707]: the Real NaN has no Int
!   --> tests/cli/programs/kinks.pull:28:30
!    |
! 28 | def counted (x: Real): Int = int (log x)
!    |                              ^^^^^^^^^^^ this is NaN
!    |
!    = note: `int` cuts off towards zero, so it needs a number between -2^63 and 2^63 - 1
!    = help: test with `is_nan` or bound the number first
!

$ pullback grad tests/cli/programs/kinks.pull spread --input tests/cli/programs/missing.json --trace-nan
exit 0
> value: nan
> gradient:
>   xs = [nan, nan, nan, nan]
! warning[W0705]: the parameter `xs` is given with NaN in it
!  |
!  = note: 2 of its 4 Reals; the first is Real 2
!

$ pullback grad tests/cli/programs/kinks.pull outside nan --trace-nan
exit 0
> value: nan
> gradient:
>   x = nan
! warning[W0705]: the parameter `x` is given with NaN in it
!  |
!  = note: it is NaN
!

$ pullback vjp tests/cli/programs/kinks.pull outside 2 --cotangent nan --trace-nan
exit 0
> value: 0.0
> pullback:
>   x = nan
! warning[W0705]: the cotangent is given with NaN in it
!  |
!  = note: it is NaN
!

$ pullback jvp tests/cli/programs/kinks.pull outside 2 --tangent nan --trace-nan
exit 0
> value: 0.0
> tangent: nan
! warning[W0705]: the tangent is given with NaN in it
!  |
!  = note: it is NaN
!

$ pullback grad tests/cli/programs/kinks.pull sharp 0 --trace-nan
exit 0
> value: nan
> gradient:
>   x = nan
! warning[W0704]: the first NaN is in the derivative of `sqrt 0.0`
!   --> tests/cli/programs/kinks.pull:20:31
!    |
! 20 | def product (x: Real): Real = sqrt x * 0.0
!    |                               ^^^^^^ the value is 0.0
!    |
!    = note: its derivative is inf, the cotangent here is 0.0, and inf times 0.0 is NaN
!    = note: every value up to here is a number
!

$ pullback grad tests/cli/programs/kinks.pull both 0 --trace-nan
exit 0
> value: 0.0
> gradient:
>   x = nan
! warning[W0704]: the first NaN is in the derivative of `sqrt 0.0`
!   --> tests/cli/programs/kinks.pull:31:28
!    |
! 31 | def both (x: Real): Real = sqrt x - sqrt x + 0.0 * x
!    |                            ^^^^^^ the value is 0.0
!    |
!    = note: its derivative times the cotangent is inf, and with the -inf that is there already this adds up to NaN
!    = note: every value up to here is a number
!

$ pullback grad tests/cli/programs/kinks.pull length 0 0 --trace-nan --warn kinks --json
exit 0
> {"value": 0.0, "gradient": {"x": "NaN", "y": "NaN"}}
! warning[W0702]: there is no derivative of `sqrt 0.0`
!   --> tests/cli/programs/kinks.pull:21:40
!    |
! 21 | def length (x: Real) (y: Real): Real = sqrt (x * x + y * y)
!    |                                        ^^^^^^^^^^^^^^^^^^^^ met once
!    |
!    = note: convention: its derivative here is inf (`sqrt`: Square root; derivative +inf at 0; NaN below.)
!
! warning[W0704]: the first NaN is in the derivative of `0.0 * 0.0`
!   --> tests/cli/programs/kinks.pull:21:56
!    |
! 21 | def length (x: Real) (y: Real): Real = sqrt (x * x + y * y)
!    |                                                        ^ the value is 0.0
!    |
!    = note: its derivative by argument 1 is 0.0, the cotangent here is inf, and 0.0 times inf is NaN
!    = note: every value up to here is a number
!

$ pullback check-grad tests/cli/programs/kinks.pull length 0 0 --trace-nan
exit 2
! error: unexpected argument '--trace-nan' found
!
!   tip: to pass '--trace-nan' as a value, use '-- --trace-nan'
!
! Usage: pullback check-grad <FILE> <ENTRY> <ARG>...
!
! For more information, try '--help'.

$ pullback grad tests/cli/programs/kinks.pull product 0 --trace-nan --engine linear-maps
exit 0
> value: 0.0
> gradient:
>   x = nan
! warning[W0704]: the first NaN is in the derivative of `sqrt 0.0`
!   --> tests/cli/programs/kinks.pull:20:31
!    |
! 20 | def product (x: Real): Real = sqrt x * 0.0
!    |                               ^^^^^^ the value is 0.0
!    |
!    = note: its derivative is inf, the cotangent here is 0.0, and inf times 0.0 is NaN
!    = note: every value up to here is a number
!    = note: this is what `trace` does: the steps of `linear-maps` cannot be watched
!

$ pullback grad tests/cli/programs/kinks.pull product 0 --trace-nan --engine delta
exit 0
> value: 0.0
> gradient:
>   x = nan
! warning[W0704]: the first NaN is in the derivative of `sqrt 0.0`
!   --> tests/cli/programs/kinks.pull:20:31
!    |
! 20 | def product (x: Real): Real = sqrt x * 0.0
!    |                               ^^^^^^ the value is 0.0
!    |
!    = note: its derivative is inf, the cotangent here is 0.0, and inf times 0.0 is NaN
!    = note: every value up to here is a number
!    = note: this is what `trace` does: the steps of `delta` cannot be watched
!
