$ pullback grad tests/cli/programs/strict.pull quotient 0.0 --domain strict
exit 1
! error[E0715]: `/` has no derivative at 1.0, 0.0
!  --> tests/cli/programs/strict.pull:2:36
!   |
! 2 | def quotient (x: Real): Real = 1.0 / x
!   |                                    ^ this is being differentiated
!   |
!   = note: under `--domain=strict` it has one where y != 0.0
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull power 0.0 --domain strict
exit 1
! error[E0715]: `^` has no derivative at 0.0, 0.0
!  --> tests/cli/programs/strict.pull:3:33
!   |
! 3 | def power (y: Real): Real = 0.0 ^ y
!   |                                 ^ this is being differentiated
!   |
!   = note: under `--domain=strict` it has one where x > 0.0
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull cut 0.0 --domain strict
exit 1
! error[E0715]: `atan2` has no derivative at 0.0, -1.0
!  --> tests/cli/programs/strict.pull:5:27
!   |
! 5 | def cut (y: Real): Real = atan2 y (-1.0)
!   |                           ^^^^^^^^^^^^^^ this is being differentiated
!   |
!   = note: under `--domain=strict` it has one where x != 0.0 || y > 0.0
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull whole 1.0 --domain strict
exit 1
! error[E0715]: `int` has no derivative at 1.0
!  --> tests/cli/programs/strict.pull:6:38
!   |
! 6 | def whole (x: Real): Real = x * real (int x)
!   |                                      ^^^^^^^ this is being differentiated
!   |
!   = note: under `--domain=strict` every primitive must be differentiable where it is used
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull above 0.0 --domain strict
exit 1
! error[E0714]: a number being differentiated is compared with an equal one: 0.0
!  --> tests/cli/programs/strict.pull:7:29
!   |
! 7 | def above (x: Real): Real = if x > 0.0 then x else 0.0
!   |                             ^^^^^^^^^^^^^^^^^^^^^^^^^^ both sides are equal here
!   |
!   = note: under `--domain=strict` the branch taken at a tie would decide the derivative
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull largest 1.0 --domain strict
exit 1
! error[E0714]: a number being differentiated is compared with an equal one: 1.0
!    --> tests/cli/programs/strict.pull:8:31
!     |
!   8 | def largest (x: Real): Real = maximum [x, 1.0, 0.5]
!     |                               ^^^^^^^^^^^^^^^^^^^^^ in this call
!     |
!    ::: lib/prelude.pull:303:26
!     |
! 303 |         (t + dxs[i], k + (if outer[last] == outer[i] then 1 else 1), i)
!     |                          ------------------------------------------ both sides are equal here
!     |
!     = note: under `--domain=strict` the branch taken at a tie would decide the derivative
!     = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull itself 1.0 --domain strict
exit 0
> value: 1.0
> gradient:
>   x = 1.0

$ pullback grad tests/cli/programs/strict.pull whole 0.5 --domain strict
exit 0
> value: 0.0
> gradient:
>   x = 0.0

$ pullback grad tests/cli/programs/strict.pull largest 0.75 --domain strict
exit 0
> value: 1.0
> gradient:
>   x = 0.0

$ pullback grad tests/cli/programs/strict.pull real_power --domain strict -- -1.0 2.0
exit 1
! error[E0715]: `^` has no derivative at -1.0, 2.0
!  --> tests/cli/programs/strict.pull:4:46
!   |
! 4 | def real_power (x: Real) (y: Real): Real = x ^ y
!   |                                              ^ this is being differentiated
!   |
!   = note: under `--domain=strict` it has one where x > 0.0
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull real_power --wrt x --domain strict -- -1.0 2.0
exit 1
! error[E0715]: `^` has no derivative at -1.0, 2.0
!  --> tests/cli/programs/strict.pull:4:46
!   |
! 4 | def real_power (x: Real) (y: Real): Real = x ^ y
!   |                                              ^ this is being differentiated
!   |
!   = note: under `--domain=strict` it has one where x > 0.0
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull real_power --wrt x --domain strict -- 0.0 3.0
exit 1
! error[E0715]: `^` has no derivative at 0.0, 3.0
!  --> tests/cli/programs/strict.pull:4:46
!   |
! 4 | def real_power (x: Real) (y: Real): Real = x ^ y
!   |                                              ^ this is being differentiated
!   |
!   = note: under `--domain=strict` it has one where x > 0.0
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull real_power --wrt x --domain strict -- 0.0 1.5
exit 1
! error[E0715]: `^` has no derivative at 0.0, 1.5
!  --> tests/cli/programs/strict.pull:4:46
!   |
! 4 | def real_power (x: Real) (y: Real): Real = x ^ y
!   |                                              ^ this is being differentiated
!   |
!   = note: under `--domain=strict` it has one where x > 0.0
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull real_power --wrt y --domain strict -- 0.0 0.5
exit 1
! error[E0715]: `^` has no derivative at 0.0, 0.5
!  --> tests/cli/programs/strict.pull:4:46
!   |
! 4 | def real_power (x: Real) (y: Real): Real = x ^ y
!   |                                              ^ this is being differentiated
!   |
!   = note: under `--domain=strict` it has one where x > 0.0
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull cancel 800.0 --domain strict
exit 1
! error[E0721]: `exp` at 800.0 is inf
!   --> tests/cli/programs/strict.pull:11:30
!    |
! 11 | def cancel (x: Real): Real = exp x - exp x
!    |                              ^^^^^ this is being differentiated
!    |
!    = note: under `--domain=strict` every number on the way to a derivative must be finite
!    = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull steep 1e-200 --domain strict
exit 1
! error[E0721]: the derivative of `/` by argument 2 at 1.0, 1e-200 is -inf
!   --> tests/cli/programs/strict.pull:12:33
!    |
! 12 | def steep (y: Real): Real = 1.0 / y
!    |                                 ^ this is being differentiated
!    |
!    = note: under `--domain=strict` every number on the way to a derivative must be finite
!    = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull overflows 0.0 --domain strict
exit 1
! error[E0721]: the derivative is inf
!   --> tests/cli/programs/strict.pull:13:5
!    |
! 13 | def overflows (x: Real): Real = x * 1e200 * 1e200
!    |     ^^^^^^^^^ the derivative of this
!    |
!    = note: under `--domain=strict` every number on the way to a derivative must be finite
!    = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull overflows 0.0 --domain strict --engine delta
exit 1
! error[E0721]: the derivative is inf
!   --> tests/cli/programs/strict.pull:13:5
!    |
! 13 | def overflows (x: Real): Real = x * 1e200 * 1e200
!    |     ^^^^^^^^^ this is being differentiated
!    |
!    = note: under `--domain=strict` every number on the way to a derivative must be finite
!    = note: `delta` gave this
!    = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull above 0.0 --domain strict --engine linear-maps
exit 1
! error[E0714]: a number being differentiated is compared with an equal one: 0.0
!  --> tests/cli/programs/strict.pull:7:29
!   |
! 7 | def above (x: Real): Real = if x > 0.0 then x else 0.0
!   |                             ^^^^^^^^^^^^^^^^^^^^^^^^^^ both sides are equal here
!   |
!   = note: under `--domain=strict` the branch taken at a tie would decide the derivative
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull above 0.0 --domain strict --engine ir
exit 1
! error[E0714]: a number being differentiated is compared with an equal one: 0.0
!  --> tests/cli/programs/strict.pull:7:29
!   |
! 7 | def above (x: Real): Real = if x > 0.0 then x else 0.0
!   |                             ^^^^^^^^^^^^^^^^^^^^^^^^^^ both sides are equal here
!   |
!   = note: under `--domain=strict` the branch taken at a tie would decide the derivative
!   = note: the evaluator, which runs the program before `ir` does, found this: code of `ir` has no domains
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback grad tests/cli/programs/strict.pull real_power --domain strict 0.0 2.0
exit 1
! error[E0715]: `^` has no derivative at 0.0, 2.0
!  --> tests/cli/programs/strict.pull:4:46
!   |
! 4 | def real_power (x: Real) (y: Real): Real = x ^ y
!   |                                              ^ this is being differentiated
!   |
!   = note: under `--domain=strict` it has one where x > 0.0
!   = help: move the input off this point, or use `--domain=trace`
!

$ pullback show tests/cli/programs/strict.pull above 0.0 --stage trace-run --domain strict
exit 1
! error[E0714]: evaluation is stuck: `0.0 > 0.0` is undefined
!  --> tests/cli/programs/strict.pull:7:32
!   |
! 7 | def above (x: Real): Real = if x > 0.0 then x else 0.0
!   |                                ^^^^^^^ stuck here
!   |
!   = note: it compares equal numbers
!   = note: under `--domain=strict` operations and predicates are partial, as in the paper
!   = help: move the input off this point, or use `--domain=trace` for the table of conventions
!

$ pullback show tests/cli/programs/strict.pull largest 1.0 --stage trace --domain strict
exit 1
! error[E0714]: a number being differentiated is compared with an equal one: 1.0
!    --> tests/cli/programs/strict.pull:8:31
!     |
!   8 | def largest (x: Real): Real = maximum [x, 1.0, 0.5]
!     |                               ^^^^^^^^^^^^^^^^^^^^^ in this call
!     |
!    ::: lib/prelude.pull:303:26
!     |
! 303 |         (t + dxs[i], k + (if outer[last] == outer[i] then 1 else 1), i)
!     |                          ------------------------------------------ both sides are equal here
!     |
!     = note: under `--domain=strict` the branch taken at a tie would decide the derivative
!     = help: move the input off this point, or use `--domain=trace`
!
