$ pullback grad tests/cli/programs/calls.pull predict --input tests/cli/programs/predict.json
exit 0
> value: 12.0
> gradient:
>   m = { w = [3.0, 4.0], b = 1.0 }
>   x = [1.0, 2.0]

$ pullback grad tests/cli/programs/calls.pull predict --input tests/cli/programs/predict.json --wrt m --json
exit 0
> {"value": 12.0, "gradient": {"m": {"w": [3.0, 4.0], "b": 1.0}}}

$ pullback grad tests/cli/programs/calls.pull predict --wrt y --input tests/cli/programs/predict.json
exit 2
! error[E0811]: `predict` has no parameter `y`
!   --> tests/cli/programs/calls.pull:11:5
!    |
! 11 | def predict (m: Model) (x: [2]Real): Real = dot m.w x + m.b
!    |     ^^^^^^^ defined here
!    |
!    = help: there are the differentiable parameters `m`, `x`
!

$ pullback grad tests/cli/programs/calls.pull predict '{ w = [1, 1], b = 0 }' --input tests/cli/programs/predict.json
exit 1
! error[E0808]: `predict` takes 2 arguments, but 1 is given beside 2 by name
!   --> <argument 1>:1:1
!    |
!  1 | { w = [1, 1], b = 0 }
!    | ^^^^^^^^^^^^^^^^^^^^^ this one is too many
!    |
!   ::: tests/cli/programs/calls.pull:11:5
!    |
! 11 | def predict (m: Model) (x: [2]Real): Real = dot m.w x + m.b
!    |     ------- defined here
!    |
!    = help: put an argument of several words in quotes: the shell splits at spaces
!

$ pullback grad tests/cli/programs/calls.pull area '(Box 2 3)'
exit 0
> value: 6.0
> gradient:
>   s = Box 3.0 2.0

$ pullback grad tests/cli/programs/calls.pull area '(Box 2 3)' --json
exit 0
> {"value": 6.0, "gradient": {"s": {"Box": [3.0, 2.0]}}}

$ pullback grad tests/cli/programs/calls.pull scaled 3 2.0
exit 0
> value: 6.0
> gradient:
>   x = 3.0

$ pullback grad tests/cli/programs/calls.pull scaled 3 2.0 --wrt k
exit 2
! error[E0811]: cannot differentiate with respect to `k`: it holds no Reals
!   --> tests/cli/programs/calls.pull:12:5
!    |
! 12 | def scaled (k: Int) (x: Real): Real = real k * x
!    |     ^^^^^^ defined here
!    |
!    = help: there are the differentiable parameters `x`
!

$ pullback grad tests/cli/programs/calls.pull applied '\y -> y ^ 3' 2.0
exit 0
> value: 8.0
> gradient:
>   x = 12.0

$ pullback grad tests/cli/programs/calls.pull square 3
exit 0
> value: 9.0
> gradient:
>   x = 6.0

$ pullback grad tests/cli/programs/calls.pull pair 3
exit 1
! error[E0810]: `pair` gives `(Real, Real)`, not a Real
!   --> tests/cli/programs/calls.pull:14:5
!    |
! 14 | def pair (x: Real): (Real, Real) = (x, x * x)
!    |     ^^^^ defined here
!    |
!    = note: a gradient is the derivative of one Real; other results have a Jacobian
!    = help: use `pullback vjp` or `pullback jvp`, or `jacobian` in the program
!

$ pullback grad tests/cli/programs/calls.pull infinite
exit 2
! error[E0811]: `infinite` has no parameter with Reals in it
!   --> tests/cli/programs/calls.pull:21:5
!    |
! 21 | def infinite: Real = 1.0 / 0.0
!    |     ^^^^^^^^ defined here
!    |
!    = note: a derivative is taken with respect to parameters that hold Reals
!    = help: give the definition a parameter of type `Real`, or evaluate it with `pullback run`
!

$ pullback grad tests/cli/programs/calls.pull scaled 3
exit 1
! error[E0827]: `scaled` is not given `x`
!   --> tests/cli/programs/calls.pull:12:5
!    |
! 12 | def scaled (k: Int) (x: Real): Real = real k * x
!    |     ^^^^^^ every parameter needs a value
!    |
!    = help: give arguments after the name, by `--arg NAME=EXPR`, or by `--input FILE`
!

$ pullback vjp tests/cli/programs/calls.pull pair 3 --cotangent '(1, 10)'
exit 0
> value: (3.0, 9.0)
> pullback:
>   x = 61.0

$ pullback vjp tests/cli/programs/calls.pull sized '[1, 2]' '[3, 4]' --cotangent 1 --wrt b
exit 0
> value: 11.0
> pullback:
>   b = [1.0, 2.0]

$ pullback jvp tests/cli/programs/calls.pull sized '[1, 2]' '[3, 4]' --tangent '([1, 0], [0, 1])'
exit 0
> value: 11.0
> tangent: 5.0

$ pullback jvp tests/cli/programs/calls.pull sized '[1, 2]' '[3, 4]' --tangent '[0, 1]' --wrt b --engine dual
exit 0
> value: 11.0
> tangent: 2.0

$ pullback jvp tests/cli/programs/calls.pull pair 3 --tangent 2 --json
exit 0
> {"value": [3.0, 9.0], "tangent": [2.0, 12.0]}

$ pullback grad tests/cli/programs/calls.pull sized '[1, 2]' '[3, 4, 5]'
exit 1
! error[E0401]: array sizes disagree: `3` is not `2`
!  --> <argument 2>:1:1
!   |
! 1 | [3, 4, 5]
!   | ^^^^^^^^^ this is `[3]Real`, expected `[2]Real`
!   |
!   = note: argument 2 of `sized` must be `[2]Real`
!   = help: use arrays of the same size, or write the type with `[]` to have it checked when the program runs
!

$ pullback grad tests/cli/programs/calls.pull edge 0.0
exit 0
> value: 0.0
> gradient:
>   x = inf

$ pullback grad tests/cli/programs/calls.pull edge 0.0 --domain strict
exit 1
! error[E0715]: `abs` has no derivative at 0.0
!   --> tests/cli/programs/calls.pull:17:28
!    |
! 17 | def edge (x: Real): Real = abs x + sqrt x
!    |                            ^^^^^ this is being differentiated
!    |
!    = note: under `--domain=strict` it has one where x != 0.0
!    = help: move the input off this point, or use `--domain=trace`
!
