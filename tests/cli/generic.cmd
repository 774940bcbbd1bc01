$ pullback show tests/cli/programs/generic.pull --stage lambda
exit 0
> def main.0 : Real -> Real =
>   \(w.0 : Real) -> @width.1 { width = w.0, height = 2.0 }
>
> def width.1 : { width: Real, height: Real } -> Real =
>   \(r.1 : { width: Real, height: Real }) -> r.1.width
>
> -- first : a.0: b => a -> b becomes code where a use tells its types
>
> -- width : a.width: b => a -> b becomes code where a use tells its types
>
> -- only : (a.a: b, a.b: c) => a -> b becomes code where a use tells its types
>
> -- matched : (a.a: c, Num b) => a -> b becomes code where a use tells its types
>
> -- wide : a.width: Real => a -> a becomes code where a use tells its types

$ pullback show tests/cli/programs/generic.pull main 3.0 --stage lambda
exit 0
> def main.0 : Real -> Real =
>   \(w.0 : Real) -> @width.1 { width = w.0, height = 2.0 }
>
> def width.1 : { width: Real, height: Real } -> Real =
>   \(r.1 : { width: Real, height: Real }) -> r.1.width

$ pullback show tests/cli/programs/generic.pull first --stage lambda
exit 1
! error[E0318]: it is not known which tuple `.0` belongs to
!  --> tests/cli/programs/generic.pull:3:5
!   |
! 3 | def first x = x.0
!   |     ^^^^^ `first` takes any tuple with such a part
!   |
!   = note: a definition becomes code when the types of its parameters are known
!   = help: give the parameter's type, as in `(r: Model)`
!

$ pullback show tests/cli/programs/generic.pull width --stage dual-source
exit 1
! error[E0318]: it is not known which record `.width` belongs to
!  --> tests/cli/programs/generic.pull:4:5
!   |
! 4 | def width r = r.width
!   |     ^^^^^ `width` takes any record with such a part
!   |
!   = note: a definition becomes code when the types of its parameters are known
!   = help: give the parameter's type, as in `(r: Model)`
!

$ pullback show tests/cli/programs/generic.pull only --stage delta1
exit 1
! error[E0318]: it is not known which record `.a` belongs to
!  --> tests/cli/programs/generic.pull:5:5
!   |
! 5 | def only { a, b } = a
!   |     ^^^^ `only` takes any record with such a part
!   |
!   = note: a definition becomes code when the types of its parameters are known
!   = help: give the parameter's type, as in `(r: Model)`
!

$ pullback show tests/cli/programs/generic.pull matched --stage cl
exit 1
! error[E0318]: it is not known which record `.a` belongs to
!  --> tests/cli/programs/generic.pull:6:5
!   |
! 6 | def matched x = match x with { a = y } -> 1
!   |     ^^^^^^^ `matched` takes any record with such a part
!   |
!   = note: a definition becomes code when the types of its parameters are known
!   = help: give the parameter's type, as in `(r: Model)`
!

$ pullback show tests/cli/programs/generic.pull wide --stage combinators
exit 1
! error[E0318]: it is not known which record `.width` belongs to
!  --> tests/cli/programs/generic.pull:7:5
!   |
! 7 | def wide r = r with width = 1.0
!   |     ^^^^ `wide` takes any record with such a part
!   |
!   = note: a definition becomes code when the types of its parameters are known
!   = help: give the parameter's type, as in `(r: Model)`
!

$ pullback show tests/cli/programs/generic.pull width --stage jacobian
exit 1
! error[E0318]: it is not known which record `.width` belongs to
!  --> tests/cli/programs/generic.pull:4:5
!   |
! 4 | def width r = r.width
!   |     ^^^^^ `width` takes any record with such a part
!   |
!   = note: a definition becomes code when the types of its parameters are known
!   = help: give the parameter's type, as in `(r: Model)`
!
