$ pullback show examples/papers/higher_order.pull two_calls 1.0 2.0 --stage delta1
exit 0
> D1{two_calls} = \x y ->
>   let r = D1{section_8_7} x
>   let r2 = D1{section_8_7} y
>   let y2 = mul r.0 r2.0
>   let u = plus (scale r2.0 r.1) (scale r.0 r2.1)
>   let y3 = add y2 y.0
>   let u2 = plus u y.1
>   (y3, u2)
>
> D1{section_8_7} = \x ->
>   let y = sin x.0
>   let u_y = scale (cos x.0) x.1
>   let y2 = mul x.0 y
>   let u = plus (scale y x.1) (scale x.0 u_y)
>   (y2, u)
>
> R1{two_calls} = \s ->
>   let n = narrow 2
>   let u = oneHot n 0
>   let u2 = oneHot n 1
>   let t = D1{two_calls} (s.0, u) (s.1, u2)
>   let value = t.0
>   ( value
>   , \dt ->
>     let u3 = plus Zero (scale dt t.1)
>     let finalMap = vector n u3
>     let dx = lookupOrZero 0 finalMap
>     let dx2 = lookupOrZero 1 finalMap
>     (dx, dx2)
>   )

$ pullback show examples/papers/higher_order.pull two_calls 1.0 2.0 --stage delta-lets
exit 0
> -- 2 inputs
> --   x = 1.0, y = 2.0
> Let x1 = Scale 0.5403023059 (Var x) in
> Let x2 = Add (Scale 0.8414709848 (Var x)) (Scale 1.0 (Var x1)) in
> Let x3 = Scale (-0.4161468365) (Var y) in
> Let x4 = Add (Scale 0.9092974268 (Var y)) (Scale 2.0 (Var x3)) in
> Let x5 = Add (Scale 1.818594854 (Var x2)) (Scale 0.8414709848 (Var x4)) in
> Let x6 = Add (Var x5) (Var y) in
> Var x6

$ pullback show examples/papers/higher_order.pull two_calls 1.0 2.0 --stage delta-lets --fuse
exit 0
> -- 2 inputs
> --   x = 1.0, y = 2.0
> Let x1 = Scale 1.381773291 (Var x) in
> Let x2 = Scale 0.07700375373 (Var y) in
> Let x3 = Add (Scale 1.818594854 (Var x1)) (Scale 0.8414709848 (Var x2)) in
> Let x4 = Add (Var x3) (Var y) in
> Var x4

$ pullback show examples/papers/higher_order.pull two_calls 1.0 2.0 --stage dual-source
exit 0
> D→{two_calls} : (Real, Real) -> (Real, Real) -> (Real, Real)
> D→{two_calls} = \x y ->
>   let r = D→{section_8_7} x
>   let r2 = D→{section_8_7} y
>   let y2 = mul r.0 r2.0
>   let u = add (mul r2.0 r.1) (mul r.0 r2.1)
>   let y3 = add y2 y.0
>   let u2 = add u y.1
>   (y3, u2)
>
> D→{section_8_7} : (Real, Real) -> (Real, Real)
> D→{section_8_7} = \x ->
>   let y = sin x.0
>   let u_y = mul (cos x.0) x.1
>   let y2 = mul x.0 y
>   let u = add (mul y x.1) (mul x.0 u_y)
>   (y2, u)
>
> F{two_calls} : ((Real, Real), (Real, Real)) -> (Real, Real)
> F{two_calls} = \p ->
>   let t = D→{two_calls} (p.0.0, p.1.0) (p.0.1, p.1.1)
>   (t.0, t.1)

$ pullback show examples/papers/higher_order.pull two_calls 1.0 2.0 --stage delta1 --fuse
exit 2
! error[E0812]: the stage `delta1` has no fused form
!  |
!  = note: `--fuse` is a way of running `delta`, and its stages show the effect
!  = help: leave out `--fuse`, or show `delta`, `delta-trace` or `delta-lets`
!

$ pullback show examples/papers/higher_order.pull --stage types --fuse
exit 2
! error[E0812]: the stage `types` has no fused form
!  |
!  = note: `--fuse` is a way of running `delta`, and its stages show the effect
!  = help: leave out `--fuse`, or show `delta`, `delta-trace` or `delta-lets`
!
