$ pullback grad tests/cli/programs/calls.pull predict --input tests/cli/programs/predict.json --wrt x,m
exit 0
> value: 12.0
> gradient:
>   x = [1.0, 2.0]
>   m = { w = [3.0, 4.0], b = 1.0 }

$ pullback grad tests/cli/programs/calls.pull predict --input tests/cli/programs/predict.json --wrt x,m --json
exit 0
> {"value": 12.0, "gradient": {"x": [1.0, 2.0], "m": {"w": [3.0, 4.0], "b": 1.0}}}

$ pullback jvp tests/cli/programs/calls.pull predict --input tests/cli/programs/predict.json --wrt x,m --tangent '([1.0, 0.0], { w = [0.0, 0.0], b = 10.0 })'
exit 0
> value: 12.0
> tangent: 11.0

$ pullback jvp tests/cli/programs/calls.pull predict --input tests/cli/programs/predict.json --wrt m,x --tangent '({ w = [0.0, 0.0], b = 10.0 }, [1.0, 0.0])'
exit 0
> value: 12.0
> tangent: 11.0

$ pullback jvp tests/cli/programs/calls.pull predict --input tests/cli/programs/predict.json --tangent '({ w = [0.0, 0.0], b = 10.0 }, [1.0, 0.0])'
exit 0
> value: 12.0
> tangent: 11.0

$ pullback jvp tests/cli/programs/calls.pull predict --input tests/cli/programs/predict.json --wrt x,m --tangent '({ w = [0.0, 0.0], b = 10.0 }, [1.0, 0.0])'
exit 1
! error[E0301]: expected `[2]Real`, found `{ w: [2]Real, b: Real }`
!  --> <tangent>:1:2
!   |
! 1 | ({ w = [0.0, 0.0], b = 10.0 }, [1.0, 0.0])
!   |  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this is `{ w: [2]Real, b: Real }`
!   |
!   = note: it is part of the tangent of this call, which is for `x` and `m`, in this order
!
! error[E0301]: expected `{ w: [2]Real, b: Real }`, found `[2]Real`
!  --> <tangent>:1:32
!   |
! 1 | ({ w = [0.0, 0.0], b = 10.0 }, [1.0, 0.0])
!   |                                ^^^^^^^^^^ this is `[2]Real`
!   |
!   = note: it is part of the tangent of this call, which is for `x` and `m`, in this order
!

$ pullback jvp tests/cli/programs/calls.pull predict --input tests/cli/programs/predict.json --tangent 1.0
exit 1
! error[E0301]: expected `({ w: [2]Real, b: Real }, [2]Real)`, found `Real`
!  --> <tangent>:1:1
!   |
! 1 | 1.0
!   | ^^^ this is `Real`
!   |
!   = note: the tangent of this call must be `({ w: [2]Real, b: Real }, [2]Real)`: for `m` and `x`, in this order
!

$ pullback jvp tests/cli/programs/calls.pull predict --input tests/cli/programs/predict.json --wrt x --tangent 1.0
exit 1
! error[E0301]: expected `[2]Real`, found `Real`
!  --> <tangent>:1:1
!   |
! 1 | 1.0
!   | ^^^ this is `Real`
!   |
!   = note: the tangent of this call must be `[2]Real`
!   = help: an array of one element is `[x]`, of equal ones `replicate n x`
!

$ pullback vjp tests/cli/programs/calls.pull predict --input tests/cli/programs/predict.json --wrt x,m --cotangent 2.0
exit 0
> value: 12.0
> pullback:
>   x = [2.0, 4.0]
>   m = { w = [6.0, 8.0], b = 2.0 }
