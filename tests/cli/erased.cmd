$ pullback grad examples/papers/differentiable_curry.pull summed_1 3.0 --engine curry-env --erase --verbose
exit 0
> value: 90.0
> gradient:
>   c = 60.0
! note: the engine `curry-env --erase` answered

$ pullback jvp examples/papers/differentiable_curry.pull summed_1 3.0 --tangent 1.0 --engine curry-env --erase
exit 0
> value: 90.0
> tangent: 60.0

$ pullback vjp examples/papers/differentiable_curry.pull forgotten 3.0 --cotangent 2.0 --engine curry-env --erase
exit 0
> value: 21.0
> pullback:
>   c = 14.0

$ pullback run examples/papers/differentiable_curry.pull -e 'grad (grad summed_1) 3.0' --engine curry-env --erase
exit 0
> 20.0

$ pullback test examples/papers/differentiable_curry.pull --engine curry-env --erase
exit 0
> examples/papers/differentiable_curry.pull: 14 passed
> 14 passed, 0 failed

$ pullback show examples/papers/differentiable_curry.pull summed_2 --stage rep --engine curry-env --erase
exit 0
> -- summed_2 : (s: Real) ~> Real
> def summed_2.3 : Real -> (Real, `Bar (Real)`.0 -> `Bar (Real)`.0) =
>   \(s.7 : Real) ->
>     let y.130 : Real = mul s.7 s.7 in
>     let y.129 : Real = mul y.130 5.0 in
>     let y.128 : Real = add y.129 y.129 in
>     let t.137 : `Bar (Real)`.0 -> `Bar (Real)`.0 =
>       \(y_bar.11 : `Bar (Real)`.0) ->
>         match y_bar.11 with
>         | Zero -> `Bar (Real)`.0::Zero()
>         | Real g.12 ->
>             let s.135 : Real = add g.12 g.12 in
>             let p.134 : Real = mul 5.0 s.135 in
>             let p.133 : Real = mul s.7 p.134 in
>             let s.132 : Real = add p.133 p.133 in
>             let env.131 : `Bar (Real)`.0 = `Bar (Real)`.0::Real(s.132) in
>             env.131
>         end in
>     (y.128, t.137)
>
> -- cotangents
> Bar (Real) = Zero | Real(Real)

$ pullback show examples/papers/differentiable_curry.pull summed_2 --stage combinators --engine curry-env --erase
exit 2
! error[E0812]: the stage `combinators` has no erased form
!  |
!  = note: `--erase` is a way of running `curry-env`, and its stages show the effect
!  = help: leave out `--erase`, or show `rep` with `--engine curry-env`
!

$ pullback grad examples/papers/differentiable_curry.pull summed_1 3.0 --erase
exit 2
! error[E0812]: the engine `trace` has no erased mode
!  |
!  = note: `--erase` is a way of running `curry-env`
!  = help: add `--engine curry-env`, or leave out `--erase`
!

$ pullback grad examples/papers/differentiable_curry.pull summed_1 3.0 --engine delta --fuse --erase
exit 2
! error: the argument '--fuse' cannot be used with '--erase'
!
! Usage: pullback grad --engine <NAME> --fuse <FILE> <ENTRY> <ARG>...
!
! For more information, try '--help'.
