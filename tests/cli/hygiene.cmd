$ pullback grad tests/cli/programs/hygiene.pull f 3.0 4.0 --wrt x
exit 0
> value: 12.0
> gradient:
>   x = 4.0

$ pullback check-grad tests/cli/programs/hygiene.pull f 3.0 4.0 --wrt x
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -1.1294067893863209, ⟨Jᵀ u, v⟩ = -1.1294067893863209
> direction 1: Taylor holds: exact to rounding
> direction 1: complex step holds: 1.6556632398488658 by the engine, 1.6556632398488658 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 1.6684081585144288, ⟨Jᵀ u, v⟩ = 1.6684081585144288
> direction 2: Taylor holds: exact to rounding
> direction 2: complex step holds: -5.9322329651537755 by the engine, -5.9322329651537755 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.30798872028584817, ⟨Jᵀ u, v⟩ = 0.30798872028584817
> direction 3: Taylor holds: exact to rounding
> direction 3: complex step holds: 3.0206730237726145 by the engine, 3.0206730237726145 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -6.8465778046233465, ⟨Jᵀ u, v⟩ = -6.8465778046233465
> direction 4: Taylor holds: exact to rounding
> direction 4: complex step holds: -10.414233466775944 by the engine, -10.414233466775944 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback vjp tests/cli/programs/hygiene.pull f 3.0 4.0 --wrt x --cotangent 2.0
exit 0
> value: 12.0
> pullback:
>   x = 8.0

$ pullback jvp tests/cli/programs/hygiene.pull f 3.0 4.0 --wrt y --tangent 2.0
exit 0
> value: 12.0
> tangent: 6.0

$ pullback grad tests/cli/programs/hygiene.pull f 3.0 '4.0 + stop_gradient 5.0'
exit 0
> value: 12.0
> gradient:
>   x = 4.0
>   y = 3.0

$ pullback test tests/cli/programs/hygiene.pull
exit 0
> tests/cli/programs/hygiene.pull: 2 passed
> 2 passed, 0 failed

$ pullback show tests/cli/programs/hygiene.pull f 3.0 4.0 --stage delta1
exit 0
> D1{f} = \x y ->
>   let y2 = mul x.0 y.0
>   let u = plus (scale y.0 x.1) (scale x.0 y.1)
>   (y2, u)
>
> R1{f} = \s ->
>   let n = narrow 2
>   let u = oneHot n 0
>   let u2 = oneHot n 1
>   let t = D1{f} (s.0, u) (s.1, u2)
>   let value = t.0
>   ( value
>   , \dt ->
>     let u3 = plus Zero (scale dt t.1)
>     let finalMap = vector n u3
>     let dx = lookupOrZero 0 finalMap
>     let dx2 = lookupOrZero 1 finalMap
>     (dx, dx2)
>   )

$ pullback grad tests/cli/programs/calls.pull constant 1.0 sin
exit 0
> value: 1.0
> gradient:
>   x = 1.0

$ pullback grad tests/cli/programs/calls.pull constant 1.0 sin --wrt y
exit 2
! error[E0811]: cannot differentiate with respect to `y`: it holds no Reals
!   --> tests/cli/programs/calls.pull:23:5
!    |
! 23 | def constant (x: a) (y: b): a = x
!    |     ^^^^^^^^ defined here
!    |
!    = help: there is no differentiable parameter to choose
!
