$ pullback show examples/papers/nested.pull own 1.0 --stage trace-run
exit 0
> symbolic evaluation at x = 1
>     1  1 > 2 ⤳ false
>     2  x + 2 ⤳ x + 2
>     3    own(x) ⤳ …
>     4      3 > 2 ⤳ true
>     5      x * x ⤳ x * x
>     6  1.R_v(x. let x_2:real = x in x_2 * x_2) R let x_3:real = v in let x_4:real = x_3 in (let x_5:real = v in let …
>     7  x * v ⤳ x * v
>
> ordinary evaluation of 1.R_1(x. C), by the whole environment at once
>     8  let x = 1 in … ⇒ …
>     9  1 + 2 ⇒ 3
>    10  let v = 3 in … ⇒ …
>    11  3 * 1 ⇒ 3
>    12  let v = 3 in … ⇒ …
>    13  3 * 1 ⇒ 3
>    14  let v = 3 in … ⇒ …
>    15  0 + 0 ⇒ 0
>    16  let v = 0 in … ⇒ …
>    17  3 * 1 ⇒ 3
>    18  let v = 3 in … ⇒ …
>    19  3 * 1 ⇒ 3
>    20  let v = 3 in … ⇒ …
>    21  3 + 3 ⇒ 6
>    22  let v = 6 in … ⇒ …
>    23  0 + 6 ⇒ 6
>    24  let v = 6 in … ⇒ …
>    25  1 * 6 ⇒ 6
>    26  let v = 6 in … ⇒ …
>    27  1.mul_r(1, 6) ⇒ ⟨6, 1⟩
>    28  let p = ⟨6, 1⟩ in … ⇒ …
>    29  snd(⟨6, 1⟩) ⇒ 1
>    30  let v̄ = 1 in … ⇒ …
>    31  1.mul_r(3, 1) ⇒ ⟨1, 3⟩
>    32  let p = ⟨1, 3⟩ in … ⇒ …
>    33  1.mul_r(3, 1) ⇒ ⟨1, 3⟩
>    34  let p = ⟨1, 3⟩ in … ⇒ …
>    35  fst(⟨1, 3⟩) ⇒ 1
>    36  fst(⟨1, 3⟩) ⇒ 1
>    37  1 + 1 ⇒ 2
>    38  let v̄ = 2 in … ⇒ …
>    39  fst(⟨6, 1⟩) ⇒ 6
>    40  6 + 2 ⇒ 8
>    41  let v̄ = 8 in … ⇒ …
>
> value      6
> derivative 8

$ pullback show tests/stages/loss.pull main {w=[1.0,2.0],b=3.0} --stage trace-run
exit 1
! error[E0717]: the language of the paper does not have an array
!  --> tests/stages/loss.pull:4:29
!   |
! 4 | def main (m: Model): Real = sum [ (m.w[i] + m.b) ^ 2 | i < 2 ]
!   |                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ outside the fragment of this stage
!   |
!   = note: it has Reals, tuples, conditionals, recursive first-order functions and `rd`
!   = help: use `--stage trace`, which shows the trace of any program
!

$ pullback grad examples/papers/nested.pull own 1.0 --fuel 2
exit 0
> value: 6.0
> gradient:
>   x = 8.0

$ pullback grad examples/papers/training.pull my_trained_model 1.5 --fuel 20
exit 1
! error[E0708]: `descend` is out of fuel: its calls nest deeper than `--fuel` allows
!   --> examples/papers/training.pull:30:11
!    |
! 30 |     let rec descend (w: Real): Real =
!    |  ___________^
! 31 | |     if current_loss w < max_loss then w else descend (w - rate * grad_loss w)
!    | |_____________________________________________________________________________^ this function
!    |
!    = note: a function of `letrec_n` has no value where its calls nest deeper than `n`
!    = help: give more fuel
!

$ pullback grad examples/papers/training.pull my_trained_model 1.5 --fuel 100
exit 0
> value: 4.499999999999389
> gradient:
>   x = 2.9999999999995928

$ pullback run tests/stages/cube.pull main 2.0 --fuel many
exit 2
! error: invalid value 'many' for '--fuel <N>': invalid digit found in string
!
! For more information, try '--help'.

$ pullback show examples/papers/nested.pull own 1.0 --stage trace-run --fuel 1
exit 1
! error[E0708]: `own` is out of fuel: its calls nest deeper than `--fuel` allows
!   --> examples/papers/nested.pull:23:5
!    |
! 23 | def own (x: Real): Real = if x > 2.0 then x * x else x * rd own (x + 2.0) 1.0
!    |     ^^^ evaluated from here
!    |
!    = note: a function of `letrec_n` has no value where its calls nest deeper than `n`
!    = help: give more fuel
!
