$ pullback demo tests/cli/programs/notes.pull powers
exit 0
> ----------------------------
> Original definition
> ----------------------------
> fun powers(first_of_two_numbers, second_of_two_numbers)
>   = ((sin(first_of_two_numbers) * second_of_two_numbers +
>       cos(second_of_two_numbers) * 2) ^
>      2) ^
>     3
>
> ----------------------------
> Anf-ised original definition
> ----------------------------
> fun powers(first_of_two_numbers, second_of_two_numbers)
>   = let { t = sin(first_of_two_numbers) }
>     let { t2 = t * second_of_two_numbers }
>     let { t3 = cos(second_of_two_numbers) }
>     let { t4 = t3 * 2 }
>     let { t5 = t2 + t4 }
>     let { t6 = t5 ^ 2 }
>     t6 ^ 3
>
> ----------------------------
> The full Jacobian (unoptimised)
> ----------------------------
> fun Dpowers(first_of_two_numbers, second_of_two_numbers)
>   = let { Dfirst_of_two_numbers = lmHCat(lmOne(), lmZero()) }
>     let { Dsecond_of_two_numbers = lmHCat(lmZero(), lmOne()) }
>     let { t = sin(first_of_two_numbers) }
>     let { Dt = lmCompose(Dsin(first_of_two_numbers), Dfirst_of_two_numbers) }
>     let { t2 = t * second_of_two_numbers }
>     let { Dt2 = lmCompose(D*(t, second_of_two_numbers),
>                           lmVCat(Dt, Dsecond_of_two_numbers)) }
>     let { t3 = cos(second_of_two_numbers) }
>     let { Dt3 = lmCompose(Dcos(second_of_two_numbers), Dsecond_of_two_numbers) }
>     let { t4 = t3 * 2 }
>     let { Dt4 = lmCompose(D*(t3, 2), lmVCat(Dt3, lmZero())) }
>     let { t5 = t2 + t4 }
>     let { Dt5 = lmCompose(D+(t2, t4), lmVCat(Dt2, Dt4)) }
>     let { t6 = t5 ^ 2 }
>     let { Dt6 = lmCompose(D^(t5, 2), lmVCat(Dt5, lmZero())) }
>     lmCompose(D^(t6, 3), lmVCat(Dt6, lmZero()))
>
> ----------------------------
> The full Jacobian (optimised)
> ----------------------------
> fun Dpowers(first_of_two_numbers, second_of_two_numbers)
>   = let { t = sin(first_of_two_numbers) }
>     let { t2 = t * second_of_two_numbers + cos(second_of_two_numbers) * 2 }
>     let { t3 = t2 ^ 2 }
>     lmHCat(lmScale(3 * t3 ^ 2 *
>                    (2 * t2 *
>                     (second_of_two_numbers * cos(first_of_two_numbers)))),
>            lmScale(3 * t3 ^ 2 *
>                    (2 * t2 * (t + 2 * neg(sin(second_of_two_numbers))))))
>
> ----------------------------
> Forward derivative (unoptimised)
> ----------------------------
> fun powers'(first_of_two_numbers, second_of_two_numbers, dfirst_of_two_numbers, dsecond_of_two_numbers)
>   = lmApply(let { t = sin(first_of_two_numbers) }
>             let { t2 = t * second_of_two_numbers +
>                        cos(second_of_two_numbers) * 2 }
>             let { t3 = t2 ^ 2 }
>             lmHCat(lmScale(3 * t3 ^ 2 *
>                            (2 * t2 *
>                             (second_of_two_numbers * cos(first_of_two_numbers)))),
>                    lmScale(3 * t3 ^ 2 *
>                            (2 * t2 * (t + 2 * neg(sin(second_of_two_numbers)))))),
>             (dfirst_of_two_numbers, dsecond_of_two_numbers))
>
> ----------------------------
> Forward-mode derivative (optimised)
> ----------------------------
> fun powers'(first_of_two_numbers, second_of_two_numbers, dfirst_of_two_numbers, dsecond_of_two_numbers)
>   = let { t = sin(first_of_two_numbers) }
>     let { t2 = t * second_of_two_numbers + cos(second_of_two_numbers) * 2 }
>     let { t3 = t2 ^ 2 }
>     3 * t3 ^ 2 *
>     (2 * t2 * (second_of_two_numbers * cos(first_of_two_numbers))) *
>     dfirst_of_two_numbers +
>     3 * t3 ^ 2 * (2 * t2 * (t + 2 * neg(sin(second_of_two_numbers)))) *
>     dsecond_of_two_numbers
>
> ----------------------------
> Forward-mode derivative (CSE'd)
> ----------------------------
> fun powers'(first_of_two_numbers, second_of_two_numbers, dfirst_of_two_numbers, dsecond_of_two_numbers)
>   = let { t1 = sin(first_of_two_numbers) }
>     let { t2 = t1 * second_of_two_numbers + cos(second_of_two_numbers) * 2 }
>     let { t3 = 3 * (t2 ^ 2) ^ 2 }
>     let { t4 = 2 * t2 }
>     t3 * (t4 * (second_of_two_numbers * cos(first_of_two_numbers))) *
>     dfirst_of_two_numbers +
>     t3 * (t4 * (t1 + 2 * neg(sin(second_of_two_numbers)))) *
>     dsecond_of_two_numbers
>
> ----------------------------
> Transposed Jacobian
> ----------------------------
> fun Rpowers(first_of_two_numbers, second_of_two_numbers)
>   = lmTranspose(let { t = sin(first_of_two_numbers) }
>                 let { t2 = t * second_of_two_numbers +
>                            cos(second_of_two_numbers) * 2 }
>                 let { t3 = t2 ^ 2 }
>                 lmHCat(lmScale(3 * t3 ^ 2 *
>                                (2 * t2 *
>                                 (second_of_two_numbers *
>                                  cos(first_of_two_numbers)))),
>                        lmScale(3 * t3 ^ 2 *
>                                (2 * t2 *
>                                 (t + 2 * neg(sin(second_of_two_numbers)))))))
>
> ----------------------------
> Optimised transposed Jacobian
> ----------------------------
> fun Rpowers(first_of_two_numbers, second_of_two_numbers)
>   = let { t = sin(first_of_two_numbers) }
>     let { t2 = t * second_of_two_numbers + cos(second_of_two_numbers) * 2 }
>     let { t3 = t2 ^ 2 }
>     lmVCat(lmScale(3 * t3 ^ 2 *
>                    (2 * t2 *
>                     (second_of_two_numbers * cos(first_of_two_numbers)))),
>            lmScale(3 * t3 ^ 2 *
>                    (2 * t2 * (t + 2 * neg(sin(second_of_two_numbers))))))
>
> ----------------------------
> Reverse-mode derivative (unoptimised)
> ----------------------------
> fun powers`(first_of_two_numbers, second_of_two_numbers, dr)
>   = lmApply(let { t = sin(first_of_two_numbers) }
>             let { t2 = t * second_of_two_numbers +
>                        cos(second_of_two_numbers) * 2 }
>             let { t3 = t2 ^ 2 }
>             lmVCat(lmScale(3 * t3 ^ 2 *
>                            (2 * t2 *
>                             (second_of_two_numbers * cos(first_of_two_numbers)))),
>                    lmScale(3 * t3 ^ 2 *
>                            (2 * t2 * (t + 2 * neg(sin(second_of_two_numbers)))))),
>             dr)
>
> ----------------------------
> Reverse-mode derivative (optimised)
> ----------------------------
> fun powers`(first_of_two_numbers, second_of_two_numbers, dr)
>   = let { t = sin(first_of_two_numbers) }
>     let { t2 = t * second_of_two_numbers + cos(second_of_two_numbers) * 2 }
>     let { t3 = t2 ^ 2 }
>     (3 * t3 ^ 2 *
>      (2 * t2 * (second_of_two_numbers * cos(first_of_two_numbers))) *
>      dr,
>      3 * t3 ^ 2 * (2 * t2 * (t + 2 * neg(sin(second_of_two_numbers)))) * dr)
>
> ----------------------------
> Reverse-mode derivative (CSE'd)
> ----------------------------
> fun powers`(first_of_two_numbers, second_of_two_numbers, dr)
>   = let { t1 = sin(first_of_two_numbers) }
>     let { t2 = t1 * second_of_two_numbers + cos(second_of_two_numbers) * 2 }
>     let { t3 = 3 * (t2 ^ 2) ^ 2 }
>     let { t4 = 2 * t2 }
>     (t3 * (t4 * (second_of_two_numbers * cos(first_of_two_numbers))) * dr,
>      t3 * (t4 * (t1 + 2 * neg(sin(second_of_two_numbers)))) * dr)

$ pullback show tests/cli/programs/notes.pull elements --stage forward
exit 0
> fun elements'(positions_of_the_particles, dpositions_of_the_particles)
>   = let { t1 = sz(positions_of_the_particles) }
>     sum(build(t1, \i ->
>           dpositions_of_the_particles[(i * i * i * i * i + 3 * i * i + 12) %
>                                       t1]))

$ pullback show tests/cli/programs/notes.pull elements --stage reverse
exit 0
> fun elements`(positions_of_the_particles, dr)
>   = let { t1 = sz(positions_of_the_particles) }
>     let { t2 = build(t1, \i -> (i * i * i * i * i + 3 * i * i + 12) % t1) }
>     sum(build(t1, \i2 -> deltaVec(t1, t2[i2], dr)))

$ pullback show tests/cli/programs/notes.pull nothing --stage forward
exit 0
> fun long_long_long_long_long_long_long_long_long_long_long_long_long_long_name'(x, y, dx, dy)
>   = y * dx + x * dy
>
> fun nothing'(x, dx)
>   = long_long_long_long_long_long_long_long_long_long_long_long_long_long_name'(x,
>                                                                                 2,
>                                                                                 dx,
>                                                                                 0)

$ pullback show tests/cli/programs/notes.pull slopes --stage jacobian-opt
exit 0
> fun Dslopes(x)
>   = lmScale(x ^ 2 * (3 * x ^ 2) + x ^ 3 * (2 * x) + 1 + (-1) * x ^ (-2))

$ pullback show tests/cli/programs/notes.pull unknown --stage jacobian-opt
exit 0
> fun Dunknown(n, x)
>   = if n == 0 then lmZero() else lmHCat(lmZero(), lmScale(pow_slope(x, n)))

$ pullback show tests/cli/programs/notes.pull copies --stage tupled
exit 0
> fun Dttwice(x, x2, x3)
>   = let { Dx = (x, lmHCat(lmOne(), lmZero(), lmZero())) }
>     let { Dx3 = (x3, lmHCat(lmZero(), lmZero(), lmOne())) }
>     let { t = x2 == 0 }
>     if t
>     then Dx3
>     else let { t2 = x2 - 1 }
>          let { Dy = let { r = Dttwice(x, t2, x3) }
>                     (pi_1_2(r),
>                      lmCompose(pi_2_2(r),
>                                lmVCat(pi_2_2(Dx), lmZero(), pi_2_2(Dx3)))) }
>          let { y = pi_1_2(Dy) }
>          (x * y, lmCompose(D*(x, y), lmVCat(pi_2_2(Dx), pi_2_2(Dy))))
>
> fun Dttwice2(x, x2)
>   = let { Dx2 = (x2, lmHCat(lmZero(), lmOne())) }
>     let { t = x == 0 }
>     if t
>     then Dx2
>     else let { t2 = x - 1 }
>          let { Dx = let { r = Dttwice2(t2, x2) }
>                     (pi_1_2(r),
>                      lmCompose(pi_2_2(r), lmVCat(lmZero(), pi_2_2(Dx2)))) }
>          let { x3 = pi_1_2(Dx) }
>          (sin(x3), lmCompose(Dsin(x3), pi_2_2(Dx)))
>
> fun Dtcopies(x)
>   = let { Dx = (x, lmOne()) }
>     let { Dt = let { r = Dttwice(x, 2, x) }
>                (pi_1_2(r),
>                 lmCompose(pi_2_2(r), lmVCat(pi_2_2(Dx), lmZero(), pi_2_2(Dx)))) }
>     let { t = pi_1_2(Dt) }
>     let { Dt2 = let { r2 = Dttwice2(2, x) }
>                 (pi_1_2(r2),
>                  lmCompose(pi_2_2(r2), lmVCat(lmZero(), pi_2_2(Dx)))) }
>     let { t2 = pi_1_2(Dt2) }
>     (t + t2, lmCompose(D+(t, t2), lmVCat(pi_2_2(Dt), pi_2_2(Dt2))))

$ pullback demo tests/cli/programs/notes.pull functions
exit 1
! error[E0717]: the language of the working notes has no functions as values
!   --> tests/cli/programs/notes.pull:25:53
!    |
! 25 | def functions (x: Real) (y: Real): Real = let fs = [\z -> z * x, \z -> z + x] in fs[0] y
!    |                                                     ^^^^^^^^^^^ this has no form in linear maps
!    |
!    = note: the forms are those of first-order programs over numbers, tuples and arrays
!    = help: run it all the same: `--engine linear-maps` covers the whole language
!

$ pullback demo tests/cli/programs/notes.pull ruled
exit 1
! error[E0717]: the language of the working notes has no functions with their own derivative rule
!    --> lib/prelude.pull:261:3
!     |
! 261 | /   custom_jvp
! 262 | |     largest
! 263 | |     (\ys dys ->
! 264 | |       let m = maximum ys in
! 265 | |       (m, tie_share m xs ys dys))
! 266 | |     xs
!     | |______^ this has no form in linear maps
!     |
!    ::: tests/cli/programs/notes.pull:26:36
!     |
!  26 |   def ruled [n] (v: [n]Real): Real = maximum v * 2.0
!     |                                      --------- called here
!     |
!     = note: the forms are those of first-order programs over numbers, tuples and arrays
!     = help: run it all the same: `--engine linear-maps` covers the whole language
!
