$ pullback grad tests/cli/programs/kinks.pull ends 0 --warn kinks
exit 0
> value: 0.0
> gradient:
>   x = 0.5
! warning[W0702]: there is no derivative of `abs 0.0`
!  --> tests/cli/programs/kinks.pull:3:28
!   |
! 3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!   |                            ^^^^^ met once
!   |
!   = note: convention: its derivative here is 0.0 (`abs`: `|x|`; derivative 0 at 0.)
!
! warning[W0701]: two equal numbers are compared: 0.0
!    --> tests/cli/programs/kinks.pull:3:36
!     |
!   3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!     |                                    ^^^^^^ met once
!     |
!    ::: lib/prelude.pull:101:28
!     |
! 101 | def relu (x: Real): Real = if x > 0.0 then x else 0.0
!     |                            -------------------------- in the library, here
!     |
!     = note: convention: the derivative is that of the branch that is taken
!
! warning[W0701]: `max` of two equal numbers: 0.0
!  --> tests/cli/programs/kinks.pull:3:45
!   |
! 3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!   |                                             ^^^^^^^^^ met once
!   |
!   = note: convention: its derivatives here are 0.5 and 0.5 (`max`: The larger; at a tie the common value (`max (-0.0) 0.0 = 0.0`) and derivative ½ to each; NaN if either is.)
!

$ pullback grad tests/cli/programs/kinks.pull ends 0 --warn kinks --engine dual --json
exit 0
> {"value": 0.0, "gradient": {"x": 0.5}}
! warning[W0702]: there is no derivative of `abs 0.0`
!  --> tests/cli/programs/kinks.pull:3:28
!   |
! 3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!   |                            ^^^^^ met once
!   |
!   = note: convention: its derivative here is 0.0 (`abs`: `|x|`; derivative 0 at 0.)
!
! warning[W0701]: two equal numbers are compared: 0.0
!    --> tests/cli/programs/kinks.pull:3:36
!     |
!   3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!     |                                    ^^^^^^ met once
!     |
!    ::: lib/prelude.pull:101:28
!     |
! 101 | def relu (x: Real): Real = if x > 0.0 then x else 0.0
!     |                            -------------------------- in the library, here
!     |
!     = note: convention: the derivative is that of the branch that is taken
!
! warning[W0701]: `max` of two equal numbers: 0.0
!  --> tests/cli/programs/kinks.pull:3:45
!   |
! 3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!   |                                             ^^^^^^^^^ met once
!   |
!   = note: convention: its derivatives here are 0.5 and 0.5 (`max`: The larger; at a tie the common value (`max (-0.0) 0.0 = 0.0`) and derivative ½ to each; NaN if either is.)
!

$ pullback run tests/cli/programs/kinks.pull ends 0 --warn kinks
exit 0
> 0.0
! warning[W0702]: there is no derivative of `abs 0.0`
!  --> tests/cli/programs/kinks.pull:3:28
!   |
! 3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!   |                            ^^^^^ met once
!   |
!   = note: convention: its derivative here is 0.0 (`abs`: `|x|`; derivative 0 at 0.)
!   = note: nothing is being differentiated here
!
! warning[W0701]: two equal numbers are compared: 0.0
!    --> tests/cli/programs/kinks.pull:3:36
!     |
!   3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!     |                                    ^^^^^^ met once
!     |
!    ::: lib/prelude.pull:101:28
!     |
! 101 | def relu (x: Real): Real = if x > 0.0 then x else 0.0
!     |                            -------------------------- in the library, here
!     |
!     = note: convention: the derivative is that of the branch that is taken
!     = note: nothing is being differentiated here
!
! warning[W0701]: `max` of two equal numbers: 0.0
!  --> tests/cli/programs/kinks.pull:3:45
!   |
! 3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!   |                                             ^^^^^^^^^ met once
!   |
!   = note: convention: its derivatives here are 0.5 and 0.5 (`max`: The larger; at a tie the common value (`max (-0.0) 0.0 = 0.0`) and derivative ½ to each; NaN if either is.)
!   = note: nothing is being differentiated here
!

$ pullback grad tests/cli/programs/kinks.pull steps 1 --warn kinks
exit 0
> value: 15.0
> gradient:
>   x = 0.0
! warning[W0702]: there is no derivative of `floor 1.0`
!  --> tests/cli/programs/kinks.pull:4:59
!   |
! 4 | def steps (x: Real): Real = loop s = 0.0 for i < 5 do s + floor (x + real i)
!   |                                                           ^^^^^^^^^^^^^^^^^^ met 5 times
!   |
!   = note: convention: its derivative here is 0.0 (`floor`: Largest integer not above x; derivative 0.)
!

$ pullback grad tests/cli/programs/kinks.pull jumps 1 --warn kinks
exit 0
> value: 4.0
> gradient:
>   x = 0.0
! warning[W0702]: there is no derivative of `ceil 1.0`
!  --> tests/cli/programs/kinks.pull:5:29
!   |
! 5 | def jumps (x: Real): Real = ceil x + round (x + 0.5) + signum (x - 1.0) + real (int x)
!   |                             ^^^^^^ met once
!   |
!   = note: convention: its derivative here is 0.0 (`ceil`: Smallest integer not below x; derivative 0.)
!
! warning[W0702]: there is no derivative of `round 1.5`
!  --> tests/cli/programs/kinks.pull:5:38
!   |
! 5 | def jumps (x: Real): Real = ceil x + round (x + 0.5) + signum (x - 1.0) + real (int x)
!   |                                      ^^^^^^^^^^^^^^^ met once
!   |
!   = note: convention: its derivative here is 0.0 (`round`: Nearest integer, ties away from zero; derivative 0.)
!
! warning[W0702]: there is no derivative of `signum 0.0`
!  --> tests/cli/programs/kinks.pull:5:56
!   |
! 5 | def jumps (x: Real): Real = ceil x + round (x + 0.5) + signum (x - 1.0) + real (int x)
!   |                                                        ^^^^^^^^^^^^^^^^ met once
!   |
!   = note: convention: its derivative here is 0.0 (`signum`: -1, 0 or 1; derivative 0.)
!
! warning[W0702]: `int` jumps at 1.0
!  --> tests/cli/programs/kinks.pull:5:80
!   |
! 5 | def jumps (x: Real): Real = ceil x + round (x + 0.5) + signum (x - 1.0) + real (int x)
!   |                                                                                ^^^^^^^ met once
!   |
!   = note: convention: an Int carries no derivative
!

$ pullback jvp tests/cli/programs/kinks.pull powers 0 --tangent 1 --warn kinks
exit 0
> value: inf
> tangent: nan
! warning[W0702]: there is no derivative of `0.0 ^ 0.5`
!  --> tests/cli/programs/kinks.pull:6:32
!   |
! 6 | def powers (x: Real): Real = x ^ 0.5 + x ^ x + 1.0 / x + atan2 x x + hypot x x
!   |                                ^ met once
!   |
!   = note: convention: its derivatives here are inf and 0.0 (`pow`: `x ^ y`; at x = 0: `0^0 = 1`, d/dx is 0 for y = 0, 1 for y = 1, 0 for y > 1, +inf for 0 < y < 1, and d/dy is 0 for y >= 0.)
!
! warning[W0702]: there is no derivative of `0.0 ^ 0.0`
!  --> tests/cli/programs/kinks.pull:6:42
!   |
! 6 | def powers (x: Real): Real = x ^ 0.5 + x ^ x + 1.0 / x + atan2 x x + hypot x x
!   |                                          ^ met once
!   |
!   = note: convention: its derivatives here are 0.0 and 0.0 (`pow`: `x ^ y`; at x = 0: `0^0 = 1`, d/dx is 0 for y = 0, 1 for y = 1, 0 for y > 1, +inf for 0 < y < 1, and d/dy is 0 for y >= 0.)
!
! warning[W0702]: there is no derivative of `1.0 / 0.0`
!  --> tests/cli/programs/kinks.pull:6:52
!   |
! 6 | def powers (x: Real): Real = x ^ 0.5 + x ^ x + 1.0 / x + atan2 x x + hypot x x
!   |                                                    ^ met once
!   |
!   = note: convention: its derivatives here are inf and -inf (`div`: `x / y`)
!
! warning[W0702]: there is no derivative of `atan2 0.0 0.0`
!  --> tests/cli/programs/kinks.pull:6:58
!   |
! 6 | def powers (x: Real): Real = x ^ 0.5 + x ^ x + 1.0 / x + atan2 x x + hypot x x
!   |                                                          ^^^^^^^^^ met once
!   |
!   = note: convention: its derivatives here are nan and nan (`atan2`: The angle of the point with ordinate x and abscissa y; `atan2 0 0 = 0` with derivative NaN.)
!
! warning[W0702]: there is no derivative of `hypot 0.0 0.0`
!  --> tests/cli/programs/kinks.pull:6:70
!   |
! 6 | def powers (x: Real): Real = x ^ 0.5 + x ^ x + 1.0 / x + atan2 x x + hypot x x
!   |                                                                      ^^^^^^^^^ met once
!   |
!   = note: convention: its derivatives here are 0.0 and 0.0 (`hypot`: `sqrt (x^2 + y^2)` without overflow; at `hypot 0 0` the derivative is 0 (minimum-norm subgradient).)
!

$ pullback vjp tests/cli/programs/kinks.pull arrays '[1, 3, 3]' --cotangent 1 --warn kinks
exit 0
> value: 22.0
> pullback:
>   xs = [2.0, 6.5, 6.5]
! warning[W0701]: `max` of two equal numbers: 3.0
!    --> tests/cli/programs/kinks.pull:7:38
!     |
!   7 | def arrays [n] (xs: [n]Real): Real = maximum xs + norm (xs - xs) + dot (sort xs) xs
!     |                                      ^^^^^^^^^^ met once
!     |
!    ::: lib/prelude.pull:285:37
!     |
! 285 |     loop m = xs[0] for i < n - 1 do max m xs[i + 1]
!     |                                     --------------- in the library, here
!     |
!     = note: convention: its derivatives here are 0.5 and 0.5 (`max`: The larger; at a tie the common value (`max (-0.0) 0.0 = 0.0`) and derivative ½ to each; NaN if either is.)
!     = note: this belongs to a function with its own rule, which gives the derivative instead
!
! warning[W0702]: there is no derivative of `hypot 0.0 0.0`
!    --> tests/cli/programs/kinks.pull:7:51
!     |
!   7 | def arrays [n] (xs: [n]Real): Real = maximum xs + norm (xs - xs) + dot (sort xs) xs
!     |                                                   ^^^^^^^^^^^^^^ met 3 times
!     |
!    ::: lib/prelude.pull:443:16
!     |
! 443 |     fold_reals hypot 0.0 x
!     |                ----- in the library, here
!     |
!     = note: convention: its derivatives here are 0.0 and 0.0 (`hypot`: `sqrt (x^2 + y^2)` without overflow; at `hypot 0 0` the derivative is 0 (minimum-norm subgradient).)
!
! warning[W0701]: equal numbers are put in order: 3.0
!    --> tests/cli/programs/kinks.pull:7:72
!     |
!   7 | def arrays [n] (xs: [n]Real): Real = maximum xs + norm (xs - xs) + dot (sort xs) xs
!     |                                                                        ^^^^^^^^^ met once
!     |
!    ::: lib/prelude.pull:409:49
!     |
! 409 | def sort [n] (xs: [n]Real): [n]Real = gather xs (argsort xs)
!     |                                                 ------------ in the library, here
!     |
!     = note: convention: equal elements keep their order, and the derivative is that of this order
!

$ pullback grad tests/cli/programs/kinks.pull picks '[1, 3, 2]' --warn kinks
exit 0
> value: 3.0
> gradient:
>   xs = [0.0, 1.0, 0.0]

$ pullback grad tests/cli/programs/kinks.pull clamped 1 --warn kinks
exit 0
> value: 1.0
> gradient:
>   x = 0.5
! warning[W0701]: `min` of two equal numbers: 1.0
!    --> tests/cli/programs/kinks.pull:9:31
!     |
!   9 | def clamped (x: Real): Real = clamp 0.0 1.0 x
!     |                               ^^^^^^^^^^^^^^^ met once
!     |
!    ::: lib/prelude.pull:107:39
!     |
! 107 | def clamp (lo: a) (hi: a) (x: a): a = min (max x lo) hi
!     |                                       ----------------- in the library, here
!     |
!     = note: convention: its derivatives here are 0.5 and 0.5 (`min`: The smaller; at a tie the common value and derivative ½ to each; NaN if either is.)
!

$ pullback grad tests/cli/programs/kinks.pull branches 2 2 --warn kinks
exit 0
> value: 2.0
> gradient:
>   x = 1.0
>   y = 0.0
! warning[W0701]: two equal numbers are compared: 2.0
!   --> tests/cli/programs/kinks.pull:10:42
!    |
! 10 | def branches (x: Real) (y: Real): Real = if x == y then x else if x < y then y else 2.0 * x
!    |                                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ met once
!    |
!    = note: convention: the derivative is that of the branch that is taken
!

$ pullback grad tests/cli/programs/kinks.pull weighted --input tests/cli/programs/weights.json --wrt w --warn kinks
exit 0
> value: 4.0
> gradient:
>   w = 2.0

$ pullback grad tests/cli/programs/kinks.pull weighted --input tests/cli/programs/weights.json --warn kinks
exit 0
> value: 4.0
> gradient:
>   w = 2.0
>   x = 0.0
! warning[W0701]: two equal numbers are compared: 0.0
!   --> tests/cli/programs/kinks.pull:12:46
!    |
! 12 | def weighted (w: Real) (x: Real): Real = w * (if x > 0.0 then 1.0 else 2.0)
!    |                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ met once
!    |
!    = note: convention: the derivative is that of the branch that is taken
!

$ pullback grad tests/cli/programs/kinks.pull far_from_any 1.5 --warn kinks
exit 0
> value: 3.724744871391589
> gradient:
>   x = 1.4082482904638631

$ pullback run tests/cli/programs/kinks.pull inner 2 --warn kinks
exit 0
> 0.0
! warning[W0702]: there is no derivative of `abs 0.0`
!   --> tests/cli/programs/kinks.pull:14:41
!    |
! 14 | def inner (x: Real): Real = grad (\y -> abs y * x) 0.0
!    |                                         ^^^^^ met once
!    |
!    = note: convention: its derivative here is 0.0 (`abs`: `|x|`; derivative 0 at 0.)
!

$ pullback run tests/cli/programs/kinks.pull outer 0 --warn kinks --engine dual
exit 0
> 0.5
! warning[W0702]: there is no derivative of `abs 0.0`
!  --> tests/cli/programs/kinks.pull:3:28
!   |
! 3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!   |                            ^^^^^ met once
!   |
!   = note: convention: its derivative here is 0.0 (`abs`: `|x|`; derivative 0 at 0.)
!
! warning[W0701]: two equal numbers are compared: 0.0
!    --> tests/cli/programs/kinks.pull:3:36
!     |
!   3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!     |                                    ^^^^^^ met once
!     |
!    ::: lib/prelude.pull:101:28
!     |
! 101 | def relu (x: Real): Real = if x > 0.0 then x else 0.0
!     |                            -------------------------- in the library, here
!     |
!     = note: convention: the derivative is that of the branch that is taken
!
! warning[W0701]: `max` of two equal numbers: 0.0
!  --> tests/cli/programs/kinks.pull:3:45
!   |
! 3 | def ends (x: Real): Real = abs x + relu x + max x 0.0
!   |                                             ^^^^^^^^^ met once
!   |
!   = note: convention: its derivatives here are 0.5 and 0.5 (`max`: The larger; at a tie the common value (`max (-0.0) 0.0 = 0.0`) and derivative ½ to each; NaN if either is.)
!
! warning[W0702]: there is no derivative of `abs 0.0`
!   --> tests/cli/programs/kinks.pull:15:43
!    |
! 15 | def outer (x: Real): Real = grad ends x + abs x
!    |                                           ^^^^^ met once
!    |
!    = note: convention: its derivative here is 0.0 (`abs`: `|x|`; derivative 0 at 0.)
!    = note: nothing is being differentiated here
!

$ pullback grad tests/cli/programs/kinks.pull outside 0.5 --warn kinks
exit 0
> value: nan
> gradient:
>   x = nan
! warning[W0702]: there is no derivative of `log (-0.5)`
!   --> tests/cli/programs/kinks.pull:16:31
!    |
! 16 | def outside (x: Real): Real = log (x - 1.0)
!    |                               ^^^^^^^^^^^^^ met once
!    |
!    = note: convention: its derivative here is nan (`log`: Natural logarithm; at 0 the value is -inf and the derivative +inf; NaN below.)
!

$ pullback grad tests/cli/programs/kinks.pull outside nan --warn kinks
exit 0
> value: nan
> gradient:
>   x = nan

$ pullback grad tests/cli/programs/kinks.pull many 1000 2 --warn kinks
exit 0
> value: 0.0
> gradient:
>   x = 0.0
! warning[W0702]: there is no derivative of `abs 0.0`
!   --> tests/cli/programs/kinks.pull:17:67
!    |
! 17 | def many (n: Int) (x: Real): Real = loop s = 0.0 for i < n do s + abs (x - x)
!    |                                                                   ^^^^^^^^^^^ met 1000 times
!    |
!    = note: convention: its derivative here is 0.0 (`abs`: `|x|`; derivative 0 at 0.)
!

$ pullback grad tests/cli/programs/kinks.pull stopped 0 --warn kinks
exit 0
> value: 0.0
> gradient:
>   x = 1.0

$ pullback check-grad tests/cli/programs/kinks.pull clamped 1 --warn kinks
exit 1
> direction 1: dot product holds: ⟨u, J v⟩ = -0.04705861622443004, ⟨Jᵀ u, v⟩ = -0.04705861622443004
> direction 1: Taylor FAILS: 0.06898596832703607 by the engine, 0.0 by differences of values
> direction 1: complex step holds: 0.06898596832703607 by the engine, 0.06898596832703607 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.06951700660476787, ⟨Jᵀ u, v⟩ = 0.06951700660476787
> direction 2: Taylor FAILS: -0.24717637354807398 by the engine, -0.4943527467548847 by differences of values
> direction 2: complex step holds: -0.24717637354807398 by the engine, -0.24717637354807398 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.012832863345243674, ⟨Jᵀ u, v⟩ = 0.012832863345243674
> direction 3: Taylor FAILS: 0.1258613759905256 by the engine, 0.0 by differences of values
> direction 3: complex step holds: 0.1258613759905256 by the engine, 0.1258613759905256 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -0.2852740751926394, ⟨Jᵀ u, v⟩ = -0.2852740751926394
> direction 4: Taylor FAILS: -0.4339263944489976 by the engine, -0.8678527921438217 by differences of values
> direction 4: complex step holds: -0.4339263944489976 by the engine, -0.4339263944489976 by the complex step
> 12 checks in 4 directions: 8 hold, 4 FAIL
! warning[W0701]: `min` of two equal numbers: 1.0
!    --> tests/cli/programs/kinks.pull:9:31
!     |
!   9 | def clamped (x: Real): Real = clamp 0.0 1.0 x
!     |                               ^^^^^^^^^^^^^^^ met once
!     |
!    ::: lib/prelude.pull:107:39
!     |
! 107 | def clamp (lo: a) (hi: a) (x: a): a = min (max x lo) hi
!     |                                       ----------------- in the library, here
!     |
!     = note: convention: its derivatives here are 0.5 and 0.5 (`min`: The smaller; at a tie the common value and derivative ½ to each; NaN if either is.)
!
! error[E0821]: the derivative fails the Taylor check in direction 1: 0.06898596832703607 by the engine, 0.0 by differences of values
!  --> tests/cli/programs/kinks.pull:9:31
!   |
! 9 | def clamped (x: Real): Real = clamp 0.0 1.0 x
!   |                               ^^^^^^^^^^^^^^^ the first place without a derivative
!   |
!   = note: direction 1 is x = 0.13797193665407215
!   = note: `min` has no derivative at 1.0, 1.0
!   = help: at such a point the derivative follows docs/language.md's table of conventions; check next to it
!

$ pullback test tests/cli/programs/kinks.pull --warn kinks
exit 0
> tests/cli/programs/kinks.pull: 3 passed
> 3 passed, 0 failed
! warning[W0701]: `min` of two equal numbers: 1.0
!    --> tests/cli/programs/kinks.pull:9:31
!     |
!   9 | def clamped (x: Real): Real = clamp 0.0 1.0 x
!     |                               ^^^^^^^^^^^^^^^ met once
!     |
!    ::: lib/prelude.pull:107:39
!     |
! 107 | def clamp (lo: a) (hi: a) (x: a): a = min (max x lo) hi
!     |                                       ----------------- in the library, here
!     |
!     = note: convention: its derivatives here are 0.5 and 0.5 (`min`: The smaller; at a tie the common value and derivative ½ to each; NaN if either is.)
!     = note: nothing is being differentiated here
!
! warning[W0702]: there is no derivative of `abs 0.0`
!   --> tests/cli/programs/kinks.pull:33:10
!    |
! 33 | --@ grad abs 0.0 = 0.0
!    |          ^^^ met once
!    |
!    = note: convention: its derivative here is 0.0 (`abs`: `|x|`; derivative 0 at 0.)
!

$ pullback run tests/cli/programs/kinks.pull ends 0 --warn ties
exit 2
! error: invalid value 'ties' for '--warn <WHAT>'
!   [possible values: kinks]
!
! For more information, try '--help'.

$ pullback show tests/cli/programs/kinks.pull ends --stage types --warn kinks
exit 2
! error: unexpected argument '--warn' found
!
!   tip: a similar argument exists: '--arg'
!
! Usage: pullback show --stage <STAGE> --arg <NAME=EXPR> <FILE> <ENTRY> [ARG]...
!
! For more information, try '--help'.

$ pullback run tests/cli/programs/kinks.pull constants 1.0 --warn kinks
exit 0
> 1.0

$ pullback grad tests/cli/programs/kinks.pull finite 2 --warn kinks
exit 0
> value: 4.0
> gradient:
>   x = 4.0

$ pullback grad tests/cli/programs/quiet.pull solved '[[1, 0], [0, 1]]' --warn kinks
exit 0
> value: 3.0
> gradient:
>   m = [[-1.0, -2.0], [-1.0, -2.0]]

$ pullback grad tests/cli/programs/quiet.pull found '[1, 1]' --warn kinks
exit 0
> value: 0.0
> gradient:
>   x = [0.0, 0.0]

$ pullback grad tests/cli/programs/quiet.pull tied '[[1, 0], [0, 1]]' --warn kinks
exit 0
> value: 4.0
> gradient:
>   m = [[-0.5, -2.0], [-1.0, -1.5]]
! warning[W0701]: `max` of two equal numbers: 1.0
!    --> tests/cli/programs/quiet.pull:8:45
!     |
!   8 | def tied (m: [2][2]Real): Real = solved m + maximum (flatten m)
!     |                                             ^^^^^^^^^^^^^^^^^^^ met once
!     |
!    ::: lib/prelude.pull:285:37
!     |
! 285 |     loop m = xs[0] for i < n - 1 do max m xs[i + 1]
!     |                                     --------------- in the library, here
!     |
!     = note: convention: its derivatives here are 0.5 and 0.5 (`max`: The larger; at a tie the common value (`max (-0.0) 0.0 = 0.0`) and derivative ½ to each; NaN if either is.)
!     = note: this belongs to a function with its own rule, which gives the derivative instead
!
