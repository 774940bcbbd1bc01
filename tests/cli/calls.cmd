$ pullback run tests/stages/cube.pull main 2.0
exit 0
> 8.0

$ pullback run tests/stages/cube.pull main -1.5 --json
exit 0
> 1.5

$ pullback run tests/stages/cube.pull
exit 1
! error[E0827]: `main` is not given `x`
!  --> tests/stages/cube.pull:4:5
!   |
! 4 | def main (x: Real): Real = if x > 0.0 then x * square x else -x
!   |     ^^^^ every parameter needs a value
!   |
!   = help: give arguments after the name, by `--arg NAME=EXPR`, or by `--input FILE`
!

$ pullback run tests/stages/cube.pull square '1 + 2'
exit 0
> 9.0

$ pullback run tests/stages/cube.pull squared 2
exit 2
! error[E0809]: there is no definition `squared`
!  |
!  = help: did you mean `square`?
!

$ pullback run tests/stages/cube.pull square 2 3
exit 1
! error[E0808]: `square` takes 1 argument, but 2 are given
!  --> <argument 2>:1:1
!   |
! 1 | 3
!   | ^ this one is too many
!   |
!  ::: tests/stages/cube.pull:3:5
!   |
! 3 | def square (x: Real): Real = x * x
!   |     ------ defined here
!   |
!   = help: put an argument of several words in quotes: the shell splits at spaces
!

$ pullback run tests/stages/cube.pull square true
exit 1
! error[E0301]: expected `Real`, found `Bool`
!  --> <argument 1>:1:1
!   |
! 1 | true
!   | ^^^^ this is `Bool`
!   |
!   = note: argument 1 of `square` must be `Real`
!   = help: write `if c then 1.0 else 0.0` to turn a condition into a number
!

$ pullback run tests/stages/cube.pull square '(1'
exit 1
! error[E0107]: this `(` is never closed
!  --> <argument 1>:1:1
!   |
! 1 | (1
!   | ^ - no `)` before this
!   | |
!   | opened here
!   |
!   = help: add the missing `)`
!

$ pullback grad tests/stages/cube.pull square 3
exit 0
> value: 9.0
> gradient:
>   x = 6.0

$ pullback grad tests/stages/cube.pull square 3 --json --engine dual
exit 0
> {"value": 9.0, "gradient": {"x": 6.0}}

$ pullback grad tests/stages/loss.pull main '{ w = [1.0, 2.0], b = 3.0 }'
exit 0
> value: 41.0
> gradient:
>   m = { w = [8.0, 10.0], b = 18.0 }

$ pullback vjp tests/stages/cube.pull square 3 --cotangent 10
exit 0
> value: 9.0
> pullback:
>   x = 60.0

$ pullback jvp tests/stages/cube.pull square 3 --tangent -10 --json
exit 0
> {"value": 9.0, "tangent": -60.0}

$ pullback vjp tests/stages/cube.pull square 3 --cotangent true
exit 1
! error[E0301]: expected `Real`, found `Bool`
!  --> <cotangent>:1:1
!   |
! 1 | true
!   | ^^^^ this is `Bool`
!   |
!   = note: the cotangent of this call must be `Real`
!   = help: write `if c then 1.0 else 0.0` to turn a condition into a number
!

$ pullback show tests/stages/cube.pull --stage types
exit 0
> square : Real -> Real
> main : Real -> Real

$ pullback show tests/stages/cube.pull square --stage types
exit 0
> square : Real -> Real
