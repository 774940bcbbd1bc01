$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval x=[0,1]
exit 0
> value: [0.25, 1.25]
>   derivative by x: [0.0, 2.0]
>   change: at most 1.0000000000000002

$ pullback bounds tests/cli/programs/bounds.pull product 1.0 2.0 --interval x=[-1,2] --interval y=[3,4]
exit 0
> value: [-4.0, 8.0]
>   derivative by x: [3.0, 4.0]
>   derivative by y: [-1.0, 2.0]
>   change: at most 12.000000000000002

$ pullback bounds tests/cli/programs/bounds.pull wave 0.0 --interval x=[0,2]
exit 0
> value: [0.0, 1.0]
>   derivative by x: [-0.41614683654714263, 1.0]
>   change: at most 1.0000000000000002

$ pullback bounds tests/cli/programs/bounds.pull pole 1.0 --interval x=[1,2]
exit 0
> value: [0.5, 1.0]
>   derivative by x: [-1.0, -0.25]
>   change: at most 0.5000000000000001

$ pullback bounds tests/cli/programs/bounds.pull pole 1.0 --interval x=[-1,2]
exit 0
> value: [-inf, inf]
>   derivative by x: [-inf, inf] or NaN
>   change: at most inf

$ pullback bounds tests/cli/programs/bounds.pull root 1.0 --interval x=[-1,4]
exit 0
> value: [0.0, 2.0] or NaN
>   derivative by x: [-inf, inf] or NaN
>   change: not bounded, since NaN may arise

$ pullback bounds tests/cli/programs/bounds.pull root 1.0 --interval x=[-2,-1]
exit 0
> value: NaN
>   derivative by x: NaN
>   change: not bounded, since NaN may arise

$ pullback bounds tests/cli/programs/bounds.pull relu 0.0 --interval x=[-1,1]
exit 0
> value: [-1.0, 1.0]
>   derivative by x: [0.0, 1.0]
>   change: at most 2.0000000000000004
> 2 ways: the intervals do not decide all comparisons; where the function jumps, derivatives do not bound the change

$ pullback bounds tests/cli/programs/bounds.pull larger 0.0 1.0 --interval x=[0,2]
exit 0
> value: [1.0, 2.0]
>   derivative by x: [0.0, 1.0]
>   derivative by y: [0.0, 1.0]
>   change: at most 1.0000000000000002
> 3 ways: the intervals do not decide all comparisons; where the function jumps, derivatives do not bound the change

$ pullback bounds tests/cli/programs/bounds.pull pair 0.5 '[1.0, 2.0]' --radius 0.5
exit 0
> value 0: [0.4999999999999999, 2.5000000000000004]
>   derivative by x: {1.0}
>   derivative by v: {1.0} × {0.0}
>   change: at most 2.000000000000001
> value 1: [1.4999999999999991, 6.795704571147621]
>   derivative by x: [1.4999999999999991, 6.795704571147621]
>   derivative by v: {0.0} × [0.9999999999999996, 2.7182818284590478]
>   change: at most 5.295704571147623

$ pullback bounds tests/cli/programs/bounds.pull pair 0.5 '[1.0, 2.0]' --radius 0.5 --json --wrt v
exit 0
> {"bounds": [{"value": {"interval": [0.4999999999999999, 2.5000000000000004], "nan": false}, "derivatives": {"v": [{"interval": [1.0, 1.0], "nan": false}, {"interval": [0.0, 0.0], "nan": false}]}, "change": 1.0000000000000004}, {"value": {"interval": [1.4999999999999991, 6.795704571147621], "nan": false}, "derivatives": {"v": [{"interval": [0.0, 0.0], "nan": false}, {"interval": [0.9999999999999996, 2.7182818284590478], "nan": false}]}, "change": 2.7182818284590504}], "ways": 1}

$ pullback bounds tests/cli/programs/bounds.pull ruled 1.0 --interval x=[1,2]
exit 0
> value: [1.0, 4.0]
>   derivative by x: [2.0, 4.0]
>   change: at most 3.0000000000000004

$ pullback bounds tests/cli/programs/bounds.pull slope 1.0 --interval x=[1,2]
exit 0
> value: [3.0, 12.0]
>   derivative by x: [6.0, 12.0]
>   change: at most 9.000000000000002

$ pullback bounds tests/cli/programs/bounds.pull halve 1.0 --interval x=[1,2]
exit 0
> value: [0.25, 1.0]
>   derivative by x: [0.25, 0.5]
>   change: at most 0.5000000000000001
> 2 ways: the intervals do not decide all comparisons; where the function jumps, derivatives do not bound the change

$ pullback bounds tests/cli/programs/bounds.pull halve 1.0 --interval x=[0,inf]
exit 1
! error[E0831]: more than 4096 ways through the program, and there are others
!   --> tests/cli/programs/bounds.pull:18:5
!    |
! 18 | def halve (x: Real): Real = loop y = x while y > 0.5 do y / 2.0
!    |     ^^^^^ on these intervals
!    |
!    = help: take smaller intervals
!

$ pullback bounds tests/cli/programs/bounds.pull at 0.5 --interval x=[0,2]
exit 1
! error[E0832]: the interval does not tell the Int that it is cut to
!   --> tests/cli/programs/bounds.pull:19:25
!    |
! 19 | def at (x: Real): Int = int x
!    |                         ^^^^^ at this point
!    |
!    = help: take smaller intervals
!

$ pullback bounds tests/cli/programs/bounds.pull at 0.5 --interval x=[0.25,0.75]
exit 0
> the result has no Reals

$ pullback bounds tests/cli/programs/bounds.pull stopped 1.0 --interval x=[1,2]
exit 0
> value: [1.0, 4.0]
>   derivative by x: [1.0, 2.0]
>   change: at most 2.0000000000000004

$ pullback bounds tests/cli/programs/bounds.pull sorted '[3.0, 1.0, 2.0]' --radius 0.25
exit 0
> value: [0.7499999999999999, 1.2500000000000002]
>   derivative by x: {0.0} × {1.0} × {0.0}
>   change: at most 0.5000000000000004

$ pullback bounds tests/cli/programs/bounds.pull sorted '[3.0, 1.0, 2.0]' --radius 2
exit 1
! error[E0832]: the interval does not tell the order of these numbers
!   --> tests/cli/programs/bounds.pull:21:33
!    |
! 21 | def sorted (x: [3]Real): Real = (sort x)[0]
!    |                                 ^^^^^^^^ at this point
!    |
!    = help: take smaller intervals
!

$ pullback bounds tests/cli/programs/bounds.pull lot 1000 1.0 --interval x=[0,1]
exit 0
> value: [1.9999999999999998, 2.0]
>   derivative by x: {9.332636185032189e-302}
>   change: at most 9.332636185032193e-302

$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval x=[1,0]
exit 2
! error: invalid value 'x=[1,0]' for '--interval <NAME=[LOW,HIGH]>': 1 is above 0: the least number comes first
!
! For more information, try '--help'.

$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval x=[nan,0]
exit 2
! error: invalid value 'x=[nan,0]' for '--interval <NAME=[LOW,HIGH]>': a bound is a number, not NaN
!
! For more information, try '--help'.

$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval x=[-inf,inf]
exit 0
> value: [0.25, inf]
>   derivative by x: [-inf, inf]
>   change: at most inf

$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval y=[0,1]
exit 1
! error[E0833]: there is no parameter `y` with Reals
!  --> tests/cli/programs/bounds.pull:4:5
!   |
! 4 | def parabola (x: Real): Real = x ^ 2 + 0.25
!   |     ^^^^^^^^ of this definition
!   |
!   = help: those that have some are x
!

$ pullback bounds tests/cli/programs/bounds.pull parabola 0.0 --interval x
exit 2
! error: invalid value 'x' for '--interval <NAME=[LOW,HIGH]>': an interval is written `x=[0,1]`
!
! For more information, try '--help'.

$ pullback bounds tests/cli/programs/bounds.pull parabola '(0.0 / 0.0)' --radius 1
exit 0
> value: NaN
>   derivative by x: NaN
>   change: not bounded, since NaN may arise

$ pullback bounds tests/cli/programs/bounds.pull parabola --interval x=[0,1]
exit 0
> value: [0.25, 1.25]
>   derivative by x: [0.0, 2.0]
>   change: at most 1.0000000000000002

$ pullback bounds tests/cli/programs/bounds.pull product --interval x=[-1,2] --interval y=[3,4]
exit 0
> value: [-4.0, 8.0]
>   derivative by x: [3.0, 4.0]
>   derivative by y: [-1.0, 2.0]
>   change: at most 12.000000000000002

$ pullback bounds tests/cli/programs/bounds.pull product 1.0 --interval y=[3,inf]
exit 0
> value: [3.0, inf]
>   derivative by x: [3.0, inf]
>   derivative by y: {1.0}
>   change: at most inf

$ pullback bounds tests/cli/programs/bounds.pull pair 0.5 --interval v=[-1,2]
exit 0
> value 0: [-0.5, 2.5]
>   derivative by x: {1.0}
>   derivative by v: {1.0} × {0.0}
>   change: at most 3.0000000000000004
> value 1: [-1.6487212707001282, 3.2974425414002564]
>   derivative by x: [-1.6487212707001282, 3.2974425414002564]
>   derivative by v: {0.0} × {1.6487212707001282}
>   change: at most 4.9461638121003855

$ pullback bounds tests/cli/programs/bounds.pull lot --interval x=[0,1]
exit 1
! error[E0827]: `lot` is not given `n`
!   --> tests/cli/programs/bounds.pull:22:5
!    |
! 22 | def lot (n: Int) (x: Real): Real = loop y = x for _ < n do 0.5 * y + 1.0
!    |     ^^^ every parameter needs a value
!    |
!    = help: give arguments after the name, by `--arg NAME=EXPR`, or by `--input FILE`
!

$ pullback bounds tests/cli/programs/bounds.pull parabola --interval x=[-inf,-1]
exit 0
> value: [1.25, inf]
>   derivative by x: [-inf, -2.0]
>   change: at most inf
