$ pullback show examples/papers/nested.pull own 1.0 --stage trace-run
exit 0
> symbolic evaluation at x = 1
>     1  x > 2 ⇒ false
>     2  x + 2 ⤳ x + 2
>     3  E[…] ⤳ let v:real = x + 2 in E[v], v = 3
>     4    1.rd_v(x_2:real. N): N at x_2 = 3
>     5    own(x_2) ⤳ let x_3:real = x_2 in …
>     6      x_3 > 2 ⇒ true
>     7      x_3 * x_3 ⤳ x_3 * x_3
>     8  1.R_v(x_2:real. let x_3:real = x_2 in x_3 * x_3) = let x_2:real = v in let v_3:real = x_2 * x_2 in let p:real…
>        as in figure 6: let x_2:real = v in let x_3:real = x_2 in (let x_4:real = v in let y:real×real = 1.mul_r(x_3,…
>     9  E[…] ⤳ let v_2:real = let x_2:real = v in let v_3:real = x_2 * x_2 in l… in E[v_2], v_2 = 6
>    10  x * v_2 ⤳ x * v_2
>        (lines are cut after 110 characters, at …)
>
> ordinary evaluation of 1.R_1(x. C), by the whole environment at once
>    11  let x:real = 1 in …
>    12  1 + 2 ⇒ 3
>    13  let v:real = 3 in …
>    14  3 * 3 ⇒ 9
>    15  let v_3:real = 9 in …
>    16  3 * 1 ⇒ 3
>    17  let v_4:real = 3 in …
>    18  3 * 1 ⇒ 3
>    19  let v_5:real = 3 in …
>    20  3 + 3 ⇒ 6
>    21  let x̄_2:real = 6 in …
>    22  1 * 6 ⇒ 6
>    23  let v_6:real = 6 in …
>    24  1.mul_r(1, 6) ⇒ ⟨6, 1⟩
>    25  let p_2:real×real = ⟨6, 1⟩ in …
>    26  snd(⟨6, 1⟩) ⇒ 1
>    27  let x̄̄_2:real = 1 in …
>    28  1.mul_r(3, 1) ⇒ ⟨1, 3⟩
>    29  let p_3:real×real = ⟨1, 3⟩ in …
>    30  1.mul_r(3, 1) ⇒ ⟨1, 3⟩
>    31  let p_4:real×real = ⟨1, 3⟩ in …
>    32  fst(⟨1, 3⟩) ⇒ 1
>    33  fst(⟨1, 3⟩) ⇒ 1
>    34  1 + 1 ⇒ 2
>    35  let v̄:real = 2 in …
>    36  fst(⟨6, 1⟩) ⇒ 6
>    37  6 + 2 ⇒ 8
>    38  let x̄:real = 8 in …
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
! 32 |     in
! 33 |     my_untrained_model (x, descend w0)
!    |                            ---------- called here
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

$ pullback show tests/cli/programs/paper.pull product 2.0 3.0 --stage trace
exit 0
> trace term C, ⟨x:real, y:real⟩ = ⟨2, 3⟩:
>   x * y
> value: 6
>
> 1.R_⟨2, 3⟩(⟨x, y⟩. C), by the whole environment at once:
>   let ⟨x:real, y:real⟩ = ⟨2, 3⟩ in
>   let v:real = x * y in
>   let p:real×real = 1.mul_r(x, y) in
>   let x̄:real = fst(p) in let ȳ:real = snd(p) in ⟨x̄, ȳ⟩
> value: ⟨3, 2⟩
>
> 1.R_⟨2, 3⟩(⟨x, y⟩. C), as in figure 6:
>   let ⟨x:real, y:real⟩ = ⟨2, 3⟩ in
>   let y_2:real×real = 1.mul_r(x, y) in
>   let ⟨z:real, z_2:real⟩ = y_2 in
>   let ⟨a:real, a_2:real⟩ = ⟨z, 0⟩ in
>   let ⟨b:real, b_2:real⟩ = ⟨0, z_2⟩ in ⟨a + b, a_2 + b_2⟩
> value: ⟨3, 2⟩

$ pullback show tests/cli/programs/paper.pull choice 1.0 2.0 --stage trace
exit 0
> trace term C, ⟨x:real, y:real⟩ = ⟨1, 2⟩:
>   let v:real = x * y in sin(v)
> value: 0.9092974268256817
>
> 1.R_⟨1, 2⟩(⟨x, y⟩. C), by the whole environment at once:
>   let ⟨x:real, y:real⟩ = ⟨1, 2⟩ in
>   let v:real = x * y in
>   let v_2:real = sin(v) in
>   let v̄:real = 1.sin_r(v) in
>   let p:real×real = v̄.mul_r(x, y) in
>   let x̄:real = fst(p) in let ȳ:real = snd(p) in ⟨x̄, ȳ⟩
> value: ⟨-0.8322936730942848, -0.4161468365471424⟩
>
> 1.R_⟨1, 2⟩(⟨x, y⟩. C), as in figure 6:
>   let ⟨x:real, y:real⟩ = ⟨1, 2⟩ in
>   let v:real = x * y in
>   let ⟨a:real, a_2:real⟩ =
>     let ⟨x_2:real, y_2:real⟩ = ⟨1, 2⟩ in let y_3:real = 1.sin_r(v) in ⟨0, 0⟩ in
>   let ⟨b:real, b_2:real⟩ =
>     let ȳ:real = let y_4:real = 1.sin_r(v) in y_4 in
>     let ⟨x_3:real, y_5:real⟩ = ⟨1, 2⟩ in
>     let y_6:real×real = ȳ.mul_r(x_3, y_5) in
>     let ⟨z:real, z_2:real⟩ = y_6 in
>     let ⟨a_3:real, a_4:real⟩ = ⟨z, 0⟩ in
>     let ⟨b_3:real, b_4:real⟩ = ⟨0, z_2⟩ in ⟨a_3 + b_3, a_4 + b_4⟩ in
>   ⟨a + b, a_2 + b_2⟩
> value: ⟨-0.8322936730942848, -0.4161468365471424⟩

$ pullback show tests/cli/programs/paper.pull choice 1.0 2.0 --stage trace-run
exit 0
> symbolic evaluation at ⟨x, y⟩ = ⟨1, 2⟩
>     1  x < y ⇒ true
>     2  x * y ⤳ x * y
>     3  E[…] ⤳ let v:real = x * y in E[v], v = 2
>     4  sin(v) ⤳ sin(v)
>
> ordinary evaluation of 1.R_⟨1, 2⟩(⟨x, y⟩. C), as in figure 6
>     5  let ⟨x:real, y:real⟩ = ⟨1, 2⟩ in …
>     6  1 * 2 ⇒ 2
>     7  let v:real = 2 in …
>     8  let ⟨x_2:real, y_2:real⟩ = ⟨1, 2⟩ in …
>     9  1.sin_r(2) ⇒ -0.4161468365471424
>    10  let y_3:real = -0.4161468365471424 in …
>    11  let ⟨a:real, a_2:real⟩ = ⟨0, 0⟩ in …
>    12  1.sin_r(2) ⇒ -0.4161468365471424
>    13  let y_4:real = -0.4161468365471424 in …
>    14  let ȳ:real = -0.4161468365471424 in …
>    15  let ⟨x_3:real, y_5:real⟩ = ⟨1, 2⟩ in …
>    16  (-0.4161468365471424).mul_r(1, 2) ⇒ ⟨-0.8322936730942848, -0.4161468365471424⟩
>    17  let y_6:real×real = ⟨-0.8322936730942848, -0.4161468365471424⟩ in …
>    18  let ⟨z:real, z_2:real⟩ = ⟨-0.8322936730942848, -0.4161468365471424⟩ in …
>    19  let ⟨a_3:real, a_4:real⟩ = ⟨-0.8322936730942848, 0⟩ in …
>    20  let ⟨b_3:real, b_4:real⟩ = ⟨0, -0.4161468365471424⟩ in …
>    21  -0.8322936730942848 + 0 ⇒ -0.8322936730942848
>    22  0 + (-0.4161468365471424) ⇒ -0.4161468365471424
>    23  let ⟨b:real, b_2:real⟩ = ⟨-0.8322936730942848, -0.4161468365471424⟩ in …
>    24  0 + (-0.8322936730942848) ⇒ -0.8322936730942848
>    25  0 + (-0.4161468365471424) ⇒ -0.4161468365471424
>
> value      0.9092974268256817
> derivative ⟨-0.8322936730942848, -0.4161468365471424⟩

$ pullback show tests/cli/programs/paper.pull count 1.0 5.0 --stage trace
exit 0
> trace term C, ⟨x:real, n:real⟩ = ⟨1, 5⟩:
>   let v:real = x * 1.5 in
>   let ⟨x_2:real, n_2:real⟩ = ⟨v, n⟩ in
>   let v_2:real = x_2 * 1.5 in
>   let ⟨x_3:real, n_3:real⟩ = ⟨v_2, n_2⟩ in
>   let v_3:real = x_3 * 1.5 in
>   let ⟨x_4:real, n_4:real⟩ = ⟨v_3, n_3⟩ in
>   let v_4:real = x_4 * 1.5 in let ⟨x_5:real, n_5:real⟩ = ⟨v_4, n_4⟩ in x_5
> value: 5.0625
>
> 1.R_⟨1, 5⟩(⟨x, n⟩. C), by the whole environment at once:
>   let ⟨x:real, n:real⟩ = ⟨1, 5⟩ in
>   let v:real = x * 1.5 in
>   let v_2:real = v * 1.5 in
>   let v_3:real = v_2 * 1.5 in
>   let v_4:real = v_3 * 1.5 in
>   let p:real×real = 1.mul_r(v_3, 1.5) in
>   let v̄_3:real = fst(p) in
>   let p_2:real×real = v̄_3.mul_r(v_2, 1.5) in
>   let v̄_2:real = fst(p_2) in
>   let p_3:real×real = v̄_2.mul_r(v, 1.5) in
>   let v̄:real = fst(p_3) in
>   let p_4:real×real = v̄.mul_r(x, 1.5) in let x̄:real = fst(p_4) in ⟨x̄, 0⟩
> value: ⟨5.0625, 0⟩
>
> 1.R_⟨1, 5⟩(⟨x, n⟩. C), as in figure 6: 6196 nodes, not shown

$ pullback show tests/cli/programs/paper.pull second 0.5 --stage trace-run
exit 0
> symbolic evaluation at x = 0.5
>     1  x < 1 ⇒ true
>
> ordinary evaluation of 1.R_0.5(x. C), as in figure 6
>
> value      0.5
> derivative 1

$ pullback show tests/cli/programs/paper.pull endless 1.0 0.0 --stage trace-run
exit 1
! error[E0717]: this evaluation nests deeper than 20000
!   --> tests/cli/programs/paper.pull:13:5
!    |
! 13 | def endless (x: Real) (y: Real): Real = if x < y then y else endless (x + 1.0) y
!    |     ^^^^^^^ evaluated from here
!    |
!    = note: the rules of the paper are followed to the letter, for small terms
!    = help: use `--stage trace`, which shows the record of an evaluation of any length
!
