$ pullback vjp tests/cli/programs/sums.pull event 3.0 --cotangent 'Node () 1.0 ()'
exit 0
> value: Node 2 9.0 "s"
> pullback:
>   x = 6.0

$ pullback vjp tests/cli/programs/sums.pull event 3.0 --cotangent 'Node 2 1.0 "s"'
exit 1
! error[E0309]: expected `()`, found the number `2`
!  --> <cotangent>:1:6
!   |
! 1 | Node 2 1.0 "s"
!   |      ^ this is a number
!   |
!   = note: a number is not spread over a structure by itself
!   = help: change every element, as in `[ x + 2 | x <- xs ]`, or make an array with `replicate n 2`
!

$ pullback jvp tests/cli/programs/sums.pull scaled 'Point 3 2.0' --tangent 'Point () 1.0'
exit 0
> value: 6.0
> tangent: 3.0

$ pullback jvp tests/cli/programs/sums.pull scaled 'Point 3 2.0' --tangent 1.0
exit 1
! error[E0301]: expected `T (Point Int)`, found `Real`
!  --> <tangent>:1:1
!   |
! 1 | 1.0
!   | ^^^ this is `Real`
!   |
!   = note: the tangent of this call must be `T (Point Int)`
!

$ pullback vjp tests/cli/programs/sums.pull counted '(Some 1, 2.0)' --cotangent '(Some (), 1.0)'
exit 0
> value: (Some 1, 4.0)
> pullback:
>   p = (Some (), 4.0)

$ pullback jvp tests/cli/programs/sums.pull counted '(Some 1, 2.0)' --tangent '(Some (), 1.0)'
exit 0
> value: (Some 1, 4.0)
> tangent: (Some (), 4.0)

$ pullback jvp tests/cli/programs/sums.pull counted '(Some 1, 2.0)' --tangent '(Some (), true)'
exit 1
! error[E0301]: expected `Real`, found `Bool`
!  --> <tangent>:1:11
!   |
! 1 | (Some (), true)
!   |           ^^^^ this is `Bool`
!   |
!   = note: it is part of the tangent of this call
!   = help: write `if c then 1.0 else 0.0` to turn a condition into a number
!

$ pullback test tests/cli/programs/sums.pull
exit 0
> tests/cli/programs/sums.pull: 6 passed
> 6 passed, 0 failed
