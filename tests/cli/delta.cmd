$ pullback grad examples/papers/higher_order.pull doubled 1.0 --engine delta2
exit 1
! error[E0717]: the engine `delta2` does not cover a tree of deltas with more than 200000 nodes, but `delta` does
!   --> examples/papers/higher_order.pull:19:5
!    |
! 19 | def doubled (x: Real): Real = iterate 30 (\y -> y + y) x
!    |     ^^^^^^^ this engine cannot evaluate this
!    |
!    = note: engines differ in what they cover
!    = help: use `--engine trace`, which covers the whole language
!

$ pullback vjp tests/cli/programs/checks.pull vector 1.0 --cotangent '(1.0, [1.0], ())' --engine delta1
exit 1
! error[E0713]: the cotangent has another shape than the value it belongs to
!  --> <cotangent>:1:1
!   |
! 1 | (1.0, [1.0], ())
!   | ^^^^^^^^^^^^^^^^ given here
!   |
!   = note: the cotangent of a value has the same sizes and constructors as the value
!   = help: start from `zeros x`, which has the shape of `x`
!

$ pullback jvp tests/cli/programs/checks.pull wide '[1.0, 2.0]' --tangent '[1.0]' --engine delta
exit 1
! error[E0713]: the tangent has another shape than the value it belongs to
!  --> <tangent>:1:1
!   |
! 1 | [1.0]
!   | ^^^^^ given here
!   |
!   = note: the tangent of a value has the same sizes and constructors as the value
!   = help: start from `zeros x`, which has the shape of `x`
!
