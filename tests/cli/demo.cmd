$ pullback demo examples/papers/notes.pull f2
exit 0
> ----------------------------
> Original definition
> ----------------------------
> fun f2(x)
>   = let { y = x * x }
>     let { z = x + y }
>     y * z
>
> ----------------------------
> Anf-ised original definition
> ----------------------------
> fun f2(x)
>   = let { y = x * x }
>     let { z = x + y }
>     y * z
>
> ----------------------------
> The full Jacobian (unoptimised)
> ----------------------------
> fun Df2(x)
>   = let { Dx = lmOne() }
>     let { y = x * x }
>     let { Dy = lmCompose(D*(x, x), lmVCat(Dx, Dx)) }
>     let { z = x + y }
>     let { Dz = lmCompose(D+(x, y), lmVCat(Dx, Dy)) }
>     lmCompose(D*(y, z), lmVCat(Dy, Dz))
>
> ----------------------------
> The full Jacobian (optimised)
> ----------------------------
> fun Df2(x)
>   = let { y = x * x }
>     lmScale((x + y) * (x + x) + y * (1 + (x + x)))
>
> ----------------------------
> Forward derivative (unoptimised)
> ----------------------------
> fun f2'(x, dx)
>   = lmApply(let { y = x * x }
>             lmScale((x + y) * (x + x) + y * (1 + (x + x))),
>             dx)
>
> ----------------------------
> Forward-mode derivative (optimised)
> ----------------------------
> fun f2'(x, dx)
>   = let { y = x * x }
>     ((x + y) * (x + x) + y * (1 + (x + x))) * dx
>
> ----------------------------
> Forward-mode derivative (CSE'd)
> ----------------------------
> fun f2'(x, dx)
>   = let { t1 = x * x }
>     let { t2 = x + x }
>     ((x + t1) * t2 + t1 * (1 + t2)) * dx
>
> ----------------------------
> Transposed Jacobian
> ----------------------------
> fun Rf2(x)
>   = lmTranspose(let { y = x * x }
>                 lmScale((x + y) * (x + x) + y * (1 + (x + x))))
>
> ----------------------------
> Optimised transposed Jacobian
> ----------------------------
> fun Rf2(x)
>   = let { y = x * x }
>     lmScale((x + y) * (x + x) + y * (1 + (x + x)))
>
> ----------------------------
> Reverse-mode derivative (unoptimised)
> ----------------------------
> fun f2`(x, dr)
>   = lmApply(let { y = x * x }
>             lmScale((x + y) * (x + x) + y * (1 + (x + x))),
>             dr)
>
> ----------------------------
> Reverse-mode derivative (optimised)
> ----------------------------
> fun f2`(x, dr)
>   = let { y = x * x }
>     ((x + y) * (x + x) + y * (1 + (x + x))) * dr
>
> ----------------------------
> Reverse-mode derivative (CSE'd)
> ----------------------------
> fun f2`(x, dr)
>   = let { t1 = x * x }
>     let { t2 = x + x }
>     ((x + t1) * t2 + t1 * (1 + t2)) * dr

$ pullback demo examples/papers/notes.pull inner
exit 0
> ----------------------------
> Original definition
> ----------------------------
> fun inner(a, b)
>   = let { n = sz(a) }
>     sum(build(n, \i -> a[i] * b[i]))
>
> ----------------------------
> Anf-ised original definition
> ----------------------------
> fun inner(a, b)
>   = let { n = sz(a) }
>     let { t = build(n, \i ->
>                 let { t2 = a[i] }
>                 let { t3 = b[i] }
>                 t2 * t3) }
>     sum(t)
>
> ----------------------------
> The full Jacobian (unoptimised)
> ----------------------------
> fun Dinner(a, b)
>   = let { Da = lmHCat(lmOne(), lmZero()) }
>     let { Db = lmHCat(lmZero(), lmOne()) }
>     let { n = sz(a) }
>     let { t = build(n, \i ->
>                 let { t2 = a[i] }
>                 let { t3 = b[i] }
>                 t2 * t3) }
>     let { Dt = lmVCatV(build(n, \i2 ->
>                          let { t4 = a[i2] }
>                          let { Dt4 = lmCompose(Dindex(a, i2),
>                                                lmVCat(Da, lmZero())) }
>                          let { t5 = b[i2] }
>                          let { Dt5 = lmCompose(Dindex(b, i2),
>                                                lmVCat(Db, lmZero())) }
>                          lmCompose(D*(t4, t5), lmVCat(Dt4, Dt5)))) }
>     lmCompose(Dsum(t), Dt)
>
> ----------------------------
> The full Jacobian (optimised)
> ----------------------------
> fun Dinner(a, b)
>   = let { n = sz(a) }
>     lmCompose(lmHCatV(build(n, \i -> lmOne())),
>               lmVCatV(build(n, \i2 ->
>                         lmAdd(lmCompose(lmScale(b[i2]),
>                                         lmCompose(lmHCatV(build(n, \j ->
>                                                             if j == i2
>                                                             then lmOne()
>                                                             else lmZero())),
>                                                   lmHCat(lmOne(), lmZero()))),
>                               lmCompose(lmScale(a[i2]),
>                                         lmCompose(lmHCatV(build(n, \j2 ->
>                                                             if j2 == i2
>                                                             then lmOne()
>                                                             else lmZero())),
>                                                   lmHCat(lmZero(), lmOne())))))))
>
> ----------------------------
> Forward derivative (unoptimised)
> ----------------------------
> fun inner'(a, b, da, db)
>   = lmApply(let { n = sz(a) }
>             lmCompose(lmHCatV(build(n, \i -> lmOne())),
>                       lmVCatV(build(n, \i2 ->
>                                 lmAdd(lmCompose(lmScale(b[i2]),
>                                                 lmCompose(lmHCatV(build(n, \j ->
>                                                                     if j == i2
>                                                                     then lmOne()
>                                                                     else lmZero())),
>                                                           lmHCat(lmOne(),
>                                                                  lmZero()))),
>                                       lmCompose(lmScale(a[i2]),
>                                                 lmCompose(lmHCatV(build(n, \j2 ->
>                                                                     if j2 ==
>                                                                        i2
>                                                                     then lmOne()
>                                                                     else lmZero())),
>                                                           lmHCat(lmZero(),
>                                                                  lmOne()))))))),
>             (da, db))
>
> ----------------------------
> Forward-mode derivative (optimised)
> ----------------------------
> fun inner'(a, b, da, db)
>   = let { n = sz(a) }
>     sum(build(n, \i -> b[i] * da[i] + a[i] * db[i]))
>
> ----------------------------
> Forward-mode derivative (CSE'd)
> ----------------------------
> fun inner'(a, b, da, db)
>   = let { t1 = sz(a) }
>     sum(build(t1, \i -> b[i] * da[i] + a[i] * db[i]))
>
> ----------------------------
> Transposed Jacobian
> ----------------------------
> fun Rinner(a, b)
>   = lmTranspose(let { n = sz(a) }
>                 lmCompose(lmHCatV(build(n, \i -> lmOne())),
>                           lmVCatV(build(n, \i2 ->
>                                     lmAdd(lmCompose(lmScale(b[i2]),
>                                                     lmCompose(lmHCatV(build(n, \j ->
>                                                                         if j ==
>                                                                            i2
>                                                                         then lmOne()
>                                                                         else lmZero())),
>                                                               lmHCat(lmOne(),
>                                                                      lmZero()))),
>                                           lmCompose(lmScale(a[i2]),
>                                                     lmCompose(lmHCatV(build(n, \j2 ->
>                                                                         if j2 ==
>                                                                            i2
>                                                                         then lmOne()
>                                                                         else lmZero())),
>                                                               lmHCat(lmZero(),
>                                                                      lmOne()))))))))
>
> ----------------------------
> Optimised transposed Jacobian
> ----------------------------
> fun Rinner(a, b)
>   = let { n = sz(a) }
>     lmCompose(lmHCatV(build(n, \i ->
>                         lmAdd(lmCompose(lmVCat(lmOne(), lmZero()),
>                                         lmVCatV(build(n, \j ->
>                                                   if j == i
>                                                   then lmScale(b[i])
>                                                   else lmZero()))),
>                               lmCompose(lmVCat(lmZero(), lmOne()),
>                                         lmVCatV(build(n, \j2 ->
>                                                   if j2 == i
>                                                   then lmScale(a[i])
>                                                   else lmZero())))))),
>               lmVCatV(build(n, \i2 -> lmOne())))
>
> ----------------------------
> Reverse-mode derivative (unoptimised)
> ----------------------------
> fun inner`(a, b, dr)
>   = lmApply(let { n = sz(a) }
>             lmCompose(lmHCatV(build(n, \i ->
>                                 lmAdd(lmCompose(lmVCat(lmOne(), lmZero()),
>                                                 lmVCatV(build(n, \j ->
>                                                           if j == i
>                                                           then lmScale(b[i])
>                                                           else lmZero()))),
>                                       lmCompose(lmVCat(lmZero(), lmOne()),
>                                                 lmVCatV(build(n, \j2 ->
>                                                           if j2 == i
>                                                           then lmScale(a[i])
>                                                           else lmZero())))))),
>                       lmVCatV(build(n, \i2 -> lmOne()))),
>             dr)
>
> ----------------------------
> Reverse-mode derivative (optimised)
> ----------------------------
> fun inner`(a, b, dr)
>   = let { n = sz(a) }
>     (build(n, \i -> b[i] * dr), build(n, \i2 -> a[i2] * dr))
>
> ----------------------------
> Reverse-mode derivative (CSE'd)
> ----------------------------
> fun inner`(a, b, dr)
>   = let { t1 = sz(a) }
>     (build(t1, \i -> b[i] * dr), build(t1, \i2 -> a[i2] * dr))

$ pullback demo examples/papers/notes.pull fold_product
exit 0
> ----------------------------
> Original definition
> ----------------------------
> fun fold_product(start, v)
>   = let { n = sz(v) }
>     fold(
>       n,
>       \i acc ->
>         acc * v[i],
>       start)
>
> ----------------------------
> Anf-ised original definition
> ----------------------------
> fun fold_product(start, v)
>   = let { n = sz(v) }
>     fold(
>       n,
>       \i acc ->
>         let { t = v[i] }
>         acc * t,
>       start)
>
> ----------------------------
> The full Jacobian (unoptimised)
> ----------------------------
> fun Dfold_product(start, v)
>   = let { Dstart = lmHCat(lmOne(), lmZero()) }
>     let { Dv = lmHCat(lmZero(), lmOne()) }
>     let { n = sz(v) }
>     lmCompose(lmFold(
>                 n,
>                 \i acc ->
>                   let { t = v[i] }
>                   acc * t,
>                 \i acc ->
>                   let { Dv2 = lmHCat(lmOne(), lmZero()) }
>                   let { Dacc = lmHCat(lmZero(), lmOne()) }
>                   let { t2 = v[i] }
>                   let { Dt2 = lmCompose(Dindex(v, i), lmVCat(Dv2, lmZero())) }
>                   lmCompose(D*(acc, t2), lmVCat(Dacc, Dt2)),
>                 start),
>               lmVCat(Dv, Dstart))
>
> ----------------------------
> The full Jacobian (optimised)
> ----------------------------
> fun Dfold_product(start, v)
>   = let { n = sz(v) }
>     lmCompose(lmFold(
>                 n,
>                 \i acc ->
>                   acc * v[i],
>                 \i acc ->
>                   lmAdd(lmHCat(lmZero(), lmScale(v[i])),
>                         lmCompose(lmScale(acc),
>                                   lmCompose(lmHCatV(build(n, \j ->
>                                                       if j == i
>                                                       then lmOne()
>                                                       else lmZero())),
>                                             lmHCat(lmOne(), lmZero())))),
>                 start),
>               lmVCat(lmHCat(lmZero(), lmOne()), lmHCat(lmOne(), lmZero())))
>
> ----------------------------
> Forward derivative (unoptimised)
> ----------------------------
> fun fold_product'(start, v, dstart, dv)
>   = lmApply(let { n = sz(v) }
>             lmCompose(lmFold(
>                         n,
>                         \i acc ->
>                           acc * v[i],
>                         \i acc ->
>                           lmAdd(lmHCat(lmZero(), lmScale(v[i])),
>                                 lmCompose(lmScale(acc),
>                                           lmCompose(lmHCatV(build(n, \j ->
>                                                               if j == i
>                                                               then lmOne()
>                                                               else lmZero())),
>                                                     lmHCat(lmOne(), lmZero())))),
>                         start),
>                       lmVCat(lmHCat(lmZero(), lmOne()),
>                              lmHCat(lmOne(), lmZero()))),
>             (dstart, dv))
>
> ----------------------------
> Forward-mode derivative (optimised)
> ----------------------------
> fun fold_product'(start, v, dstart, dv)
>   = let { n = sz(v) }
>     FFold(
>       n,
>       \i acc ->
>         acc * v[i],
>       \i acc d ->
>         v[i] * d + acc * dv[i],
>       start,
>       dstart)
>
> ----------------------------
> Forward-mode derivative (CSE'd)
> ----------------------------
> fun fold_product'(start, v, dstart, dv)
>   = let { t1 = sz(v) }
>     FFold(
>       t1,
>       \i acc ->
>         acc * v[i],
>       \i acc d ->
>         v[i] * d + acc * dv[i],
>       start,
>       dstart)
>
> ----------------------------
> Transposed Jacobian
> ----------------------------
> fun Rfold_product(start, v)
>   = lmTranspose(let { n = sz(v) }
>                 lmCompose(lmFold(
>                             n,
>                             \i acc ->
>                               acc * v[i],
>                             \i acc ->
>                               lmAdd(lmHCat(lmZero(), lmScale(v[i])),
>                                     lmCompose(lmScale(acc),
>                                               lmCompose(lmHCatV(build(n, \j ->
>                                                                   if j == i
>                                                                   then lmOne()
>                                                                   else lmZero())),
>                                                         lmHCat(lmOne(),
>                                                                lmZero())))),
>                             start),
>                           lmVCat(lmHCat(lmZero(), lmOne()),
>                                  lmHCat(lmOne(), lmZero()))))
>
> ----------------------------
> Optimised transposed Jacobian
> ----------------------------
> fun Rfold_product(start, v)
>   = let { n = sz(v) }
>     lmCompose(lmHCat(lmVCat(lmZero(), lmOne()), lmVCat(lmOne(), lmZero())),
>               lmTranspose(lmFold(
>                             n,
>                             \i acc ->
>                               acc * v[i],
>                             \i acc ->
>                               lmAdd(lmHCat(lmZero(), lmScale(v[i])),
>                                     lmCompose(lmScale(acc),
>                                               lmCompose(lmHCatV(build(n, \j ->
>                                                                   if j == i
>                                                                   then lmOne()
>                                                                   else lmZero())),
>                                                         lmHCat(lmOne(),
>                                                                lmZero())))),
>                             start)))
>
> ----------------------------
> Reverse-mode derivative (unoptimised)
> ----------------------------
> fun fold_product`(start, v, dr)
>   = lmApply(let { n = sz(v) }
>             lmCompose(lmHCat(lmVCat(lmZero(), lmOne()),
>                              lmVCat(lmOne(), lmZero())),
>                       lmTranspose(lmFold(
>                                     n,
>                                     \i acc ->
>                                       acc * v[i],
>                                     \i acc ->
>                                       lmAdd(lmHCat(lmZero(), lmScale(v[i])),
>                                             lmCompose(lmScale(acc),
>                                                       lmCompose(lmHCatV(build(n, \j ->
>                                                                           if j ==
>                                                                              i
>                                                                           then lmOne()
>                                                                           else lmZero())),
>                                                                 lmHCat(lmOne(),
>                                                                        lmZero())))),
>                                     start))),
>             dr)
>
> ----------------------------
> Reverse-mode derivative (optimised)
> ----------------------------
> fun fold_product`(start, v, dr)
>   = let { n = sz(v) }
>     let { d = RFold(
>                 n,
>                 \i acc ->
>                   acc * v[i],
>                 \i acc r ->
>                   (deltaVec(n, i, acc * r), v[i] * r),
>                 start,
>                 dr) }
>     (pi_2_2(d), pi_1_2(d))
>
> ----------------------------
> Reverse-mode derivative (CSE'd)
> ----------------------------
> fun fold_product`(start, v, dr)
>   = let { t1 = sz(v) }
>     let { t2 = RFold(
>                  t1,
>                  \i acc ->
>                    acc * v[i],
>                  \i acc r ->
>                    (deltaVec(t1, i, acc * r), v[i] * r),
>                  start,
>                  dr) }
>     (pi_2_2(t2), pi_1_2(t2))

$ pullback demo examples/papers/notes.pull missing
exit 2
! error[E0809]: there is no definition `missing`
!  |
!  = help: there are the definitions `f2`, `sum_squares`, `inner`, `fold_product`, `squarings`, `power`, `main`
!

$ pullback demo examples/tree_product.pull main
exit 2
! error[E0811]: `main` has no parameters
!   --> examples/tree_product.pull:45:5
!    |
! 45 | def main: Tree Real = map_tree (\x -> x) (tree_of 1.5)
!    |     ^^^^ defined here
!    |
!    = note: this stage is the form of a function, to be differentiated
!    = help: name a definition with parameters
!

$ pullback demo tests/cli/programs/calls.pull area
exit 1
! error[E0717]: the language of the working notes has no sum types
!  --> tests/cli/programs/calls.pull:6:3
!   |
! 6 | /   match s with
! 7 | |   | Circle r -> pi * r ^ 2
! 8 | |   | Box a b -> a * b
! 9 | |   | Nothing -> 0.0
!   | |__________________^ this has no form in linear maps
!   |
!   = note: the forms are those of first-order programs over numbers, tuples and arrays
!   = help: run it all the same: `--engine linear-maps` covers the whole language
!

$ pullback show examples/papers/notes.pull inner --stage poly-tupled
exit 0
> fun Dpinner(Da, Db)
>   = let { a = pi_1_2(Da) }
>     let { b = pi_1_2(Db) }
>     let { n = sz(a) }
>     let { Dt = let { p = unzip(build(n, \i ->
>                                  let { Dt2 = (a[i],
>                                               lmCompose(Dindex(a, i),
>                                                         lmVCat(pi_2_2(Da),
>                                                                lmZero()))) }
>                                  let { t = pi_1_2(Dt2) }
>                                  let { Dt3 = (b[i],
>                                               lmCompose(Dindex(b, i),
>                                                         lmVCat(pi_2_2(Db),
>                                                                lmZero()))) }
>                                  let { t2 = pi_1_2(Dt3) }
>                                  (t * t2,
>                                   lmCompose(D*(t, t2),
>                                             lmVCat(pi_2_2(Dt2), pi_2_2(Dt3)))))) }
>                (pi_1_2(p), lmVCatV(pi_2_2(p))) }
>     let { t3 = pi_1_2(Dt) }
>     (sum(t3), lmCompose(Dsum(t3), pi_2_2(Dt)))

$ pullback show examples/papers/notes.pull squarings --stage tupled
exit 0
> fun Dtsquarings(n, x)
>   = let { Dx = (x, lmHCat(lmZero(), lmOne())) }
>     fold(
>       n,
>       \u Dy ->
>         let { y = pi_1_2(Dy) }
>         (y * y, lmCompose(D*(y, y), lmVCat(pi_2_2(Dy), pi_2_2(Dy)))),
>       Dx)

$ pullback show examples/papers/notes.pull inner '[1, 2]' '[3, 4]' --stage jacobian-matrix
exit 0
> [ 3.0 4.0 1.0 2.0 ]

$ pullback grad examples/papers/notes.pull f2 1.0 --engine linear-maps
exit 0
> value: 2.0
> gradient:
>   x = 7.0
