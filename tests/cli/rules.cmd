$ pullback grad tests/cli/programs/rules.pull squared 3.0
exit 0
> value: 9.0
> gradient:
>   x = 1.0

$ pullback grad tests/cli/programs/rules.pull squared 3.0 --engine delta
exit 0
> value: 9.0
> gradient:
>   x = 1.0

$ pullback grad tests/cli/programs/rules.pull squared 3.0 --engine delta --fuse
exit 0
> value: 9.0
> gradient:
>   x = 1.0

$ pullback grad tests/cli/programs/rules.pull squared 3.0 --engine delta1
exit 1
! error[E0718]: the pullback of this rule of `custom_vjp` is not linear: it applies `abs` to its cotangent
!  --> tests/cli/programs/rules.pull:2:65
!   |
! 2 | def clipped (x: Real): Real = custom_vjp id (\x -> (x, \c -> if abs c > 1 then signum c else c)) x
!   |                                                                 ^^^^^ this is applied to the cotangent
! 3 | def squared (x: Real): Real = let y = clipped x in y * y
!   |                                       --------- called here
!   |
!   = note: forward mode, and reverse mode with `dual`, `delta1` or `delta2`, needs a linear pullback
!   = help: take the derivative by `grad` or `vjp` with `--engine trace`, or make the pullback linear in the cotangent
!

$ pullback jvp tests/cli/programs/rules.pull squared 3.0 --tangent 1.0
exit 1
! error[E0718]: the pullback of this rule of `custom_vjp` is not linear: it applies `abs` to its cotangent
!  --> tests/cli/programs/rules.pull:2:65
!   |
! 2 | def clipped (x: Real): Real = custom_vjp id (\x -> (x, \c -> if abs c > 1 then signum c else c)) x
!   |                                                                 ^^^^^ this is applied to the cotangent
! 3 | def squared (x: Real): Real = let y = clipped x in y * y
!   |                                       --------- called here
!   |
!   = note: forward mode, and reverse mode with `dual`, `delta1` or `delta2`, needs a linear pullback
!   = help: take the derivative by `grad` or `vjp` with `--engine trace`, or make the pullback linear in the cotangent
!

$ pullback jvp tests/cli/programs/rules.pull squared 3.0 --tangent 1.0 --engine categories
exit 1
! error[E0718]: the pullback of this rule of `custom_vjp` is not linear: it applies `abs` to its cotangent
!  --> tests/cli/programs/rules.pull:2:65
!   |
! 2 | def clipped (x: Real): Real = custom_vjp id (\x -> (x, \c -> if abs c > 1 then signum c else c)) x
!   |                                                                 ^^^^^ this is applied to the cotangent
! 3 | def squared (x: Real): Real = let y = clipped x in y * y
!   |                                       --------- called here
!   |
!   = note: forward mode, and reverse mode with `dual`, `delta1` or `delta2`, needs a linear pullback
!   = help: take the derivative by `grad` or `vjp` with `--engine trace`, or make the pullback linear in the cotangent
!

$ pullback grad tests/cli/programs/rules.pull roots 4.0 --engine delta --fuse
exit 0
> value: 8.0
> gradient:
>   x = 1.25
