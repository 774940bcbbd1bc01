$ pullback clarke tests/cli/programs/clarke.pull f 0.0
exit 0
> [0, 1]
> 2 pieces meet here:
>   1   above at tests/cli/programs/clarke.pull:4:25
>   0   below at tests/cli/programs/clarke.pull:4:25
> by convention: 0, inside the hull

$ pullback clarke tests/cli/programs/clarke.pull f 1.0
exit 0
> {1}
> differentiable here: the run meets no tie
> by convention: 1, inside the hull

$ pullback clarke tests/cli/programs/clarke.pull size 0.0
exit 0
> [-1, 1]
> 2 pieces meet here:
>   1   above at tests/cli/programs/clarke.pull:5:28
>   -1   below at tests/cli/programs/clarke.pull:5:28
> by convention: 0, inside the hull

$ pullback clarke tests/cli/programs/clarke.pull same 0.0
exit 0
> {1}
> differentiable here: the run meets no tie
> by convention: 1, inside the hull

$ pullback clarke tests/cli/programs/clarke.pull nested 1.0
exit 0
> [1, 2]
> 2 pieces meet here:
>   2   above at tests/cli/programs/clarke.pull:10:3, above at tests/cli/programs/clarke.pull:10:20
>   1   below at tests/cli/programs/clarke.pull:10:3
> by convention: 2, inside the hull

$ pullback clarke tests/cli/programs/clarke.pull square 0.0
exit 0
> [-1, 1]
> 2 pieces meet here:
>   1   above at tests/cli/programs/clarke.pull:13:30
>   -1   below at tests/cli/programs/clarke.pull:13:30
> by convention: 1, inside the hull
> the first order does not decide the tie at tests/cli/programs/clarke.pull:13:30: both sides were taken, and the hull may be too large

$ pullback clarke tests/cli/programs/clarke.pull both 1.0 1.0
exit 0
> x: [-1, 2]
> y: [-1, 2]
> 2 pieces meet here:
>   (2, -1)   above at tests/cli/programs/clarke.pull:15:38, above at tests/cli/programs/clarke.pull:15:48
>   (-1, 2)   below at tests/cli/programs/clarke.pull:15:38, below at tests/cli/programs/clarke.pull:15:48
> by convention: (0.5, 0.5), inside the hull

$ pullback clarke tests/cli/programs/clarke.pull both 1.0 1.0 --wrt y
exit 0
> [-1, 2]
> 2 pieces meet here:
>   -1   above at tests/cli/programs/clarke.pull:15:38, above at tests/cli/programs/clarke.pull:15:48
>   2   below at tests/cli/programs/clarke.pull:15:38, below at tests/cli/programs/clarke.pull:15:48
> by convention: 0.5, inside the hull

$ pullback clarke tests/cli/programs/clarke.pull lines '[0.0, 0.0]'
exit 0
> [-5, 5] × [-7, 7]
> 6 pieces meet here:
>   (5, -5)   above at tests/cli/programs/clarke.pull:17:32, above at tests/cli/programs/clarke.pull:17:43, above at tests/cli/programs/clarke.pull:17:69
>   (-1, 7)   above at tests/cli/programs/clarke.pull:17:32, above at tests/cli/programs/clarke.pull:17:43, below at tests/cli/programs/clarke.pull:17:69
>   (3, -7)   above at tests/cli/programs/clarke.pull:17:32, below at tests/cli/programs/clarke.pull:17:43, above at tests/cli/programs/clarke.pull:17:69
>   (-3, 7)   below at tests/cli/programs/clarke.pull:17:32, above at tests/cli/programs/clarke.pull:17:43, below at tests/cli/programs/clarke.pull:17:69
>   (1, -7)   below at tests/cli/programs/clarke.pull:17:32, below at tests/cli/programs/clarke.pull:17:43, above at tests/cli/programs/clarke.pull:17:69
>   (-5, 5)   below at tests/cli/programs/clarke.pull:17:32, below at tests/cli/programs/clarke.pull:17:43, below at tests/cli/programs/clarke.pull:17:69
> by convention: (0, 0), inside the hull

$ pullback clarke tests/cli/programs/clarke.pull middle '[1.0, 1.0, 1.0]'
exit 0
> [1, 4] × [1, 4] × [1, 4]
> 6 pieces meet here:
>   (4, 2, 1)   above at tests/cli/programs/clarke.pull:19:11, above at tests/cli/programs/clarke.pull:19:11, above at tests/cli/programs/clarke.pull:19:11
>   (4, 1, 2)   above at tests/cli/programs/clarke.pull:19:11, above at tests/cli/programs/clarke.pull:19:11, below at tests/cli/programs/clarke.pull:19:11
>   (2, 1, 4)   above at tests/cli/programs/clarke.pull:19:11, below at tests/cli/programs/clarke.pull:19:11
>   (2, 4, 1)   below at tests/cli/programs/clarke.pull:19:11, above at tests/cli/programs/clarke.pull:19:11, above at tests/cli/programs/clarke.pull:19:11
>   (1, 4, 2)   below at tests/cli/programs/clarke.pull:19:11, above at tests/cli/programs/clarke.pull:19:11, below at tests/cli/programs/clarke.pull:19:11
>   (1, 2, 4)   below at tests/cli/programs/clarke.pull:19:11, below at tests/cli/programs/clarke.pull:19:11
> by convention: (1, 2, 4), inside the hull

$ pullback clarke tests/cli/programs/clarke.pull middle '[1.0, 2.0, 1.0]'
exit 0
> [1, 2] × {4} × [1, 2]
> 2 pieces meet here:
>   (2, 4, 1)   above at tests/cli/programs/clarke.pull:19:11
>   (1, 4, 2)   below at tests/cli/programs/clarke.pull:19:11
> by convention: (1, 4, 2), inside the hull

$ pullback clarke tests/cli/programs/clarke.pull on 1.0 0.0 --wrt x
exit 0
> {3}
> differentiable here: the run meets no tie
> by convention: 3, inside the hull

$ pullback clarke tests/cli/programs/clarke.pull on 1.0 0.0
exit 0
> x: [1, 3]
> k: {0}
> 2 pieces meet here:
>   (1, 0)   above at tests/cli/programs/clarke.pull:22:36
>   (3, 0)   below at tests/cli/programs/clarke.pull:22:36
> by convention: (3, 0), inside the hull
> the function jumps here, so that it has no generalised gradient: its value is 3, those of the pieces are (1, 3)

$ pullback clarke tests/cli/programs/clarke.pull slope 0.0
exit 0
> [-2, 2]
> 2 pieces meet here:
>   2   above at tests/cli/programs/clarke.pull:24:45
>   -2   below at tests/cli/programs/clarke.pull:24:45
> by convention: 0, inside the hull

$ pullback clarke tests/cli/programs/clarke.pull clipped 3.0
exit 0
> [0, 1]
> 2 pieces meet here:
>   1   above at tests/cli/programs/clarke.pull:25:55
>   0   below at tests/cli/programs/clarke.pull:25:55
> by convention: 0.5, inside the hull

$ pullback clarke tests/cli/programs/clarke.pull hole 0.0
exit 0
> {1}
> all pieces that meet here have this gradient
> by convention: 0, outside the hull
> the function jumps here, so that it has no generalised gradient: its value is 5, those of the pieces are 0

$ pullback clarke tests/cli/programs/clarke.pull ruled 0.0
exit 0
> {2}
> differentiable here: the run meets no tie
> by convention: 2, inside the hull

$ pullback clarke tests/cli/programs/clarke.pull wave 0.0
exit 0
> {1}
> differentiable here: the run meets no tie
> by convention: 1, inside the hull

$ pullback clarke tests/cli/programs/clarke.pull root 0.0
exit 1
! error[E0715]: `sqrt` has no derivative at 0.0
!   --> tests/cli/programs/clarke.pull:29:28
!    |
! 29 | def root (x: Real): Real = sqrt x
!    |                            ^^^^^^ this is being differentiated
!    |
!    = note: here the function is not the meeting of smooth pieces: it jumps, has no value beside the point, or is infinitely steep
!    = help: take a point beside this one
!

$ pullback clarke tests/cli/programs/clarke.pull stairs 1.0
exit 1
! error[E0715]: `floor` has no derivative at 1.0
!   --> tests/cli/programs/clarke.pull:30:30
!    |
! 30 | def stairs (x: Real): Real = floor x
!    |                              ^^^^^^^ this is being differentiated
!    |
!    = note: here the function is not the meeting of smooth pieces: it jumps, has no value beside the point, or is infinitely steep
!    = help: take a point beside this one
!

$ pullback clarke tests/cli/programs/clarke.pull l1 '(replicate 20 0.0)'
exit 1
! error[E0830]: more than 4096 smooth pieces meet here
!   --> tests/cli/programs/clarke.pull:31:5
!    |
! 31 | def l1 (x: []Real): Real = sum (map abs x)
!    |     ^^ at this point
!    |
!    = help: take fewer parameters by `--wrt`, or a point with fewer ties
!

$ pullback clarke tests/cli/programs/clarke.pull l1 '[0.0, 1.0]' --json
exit 0
> {"hull": {"x": [[-1.0, 1.0], [1.0, 1.0]]}, "pieces": [{"value": 1.0, "gradient": [1.0, 1.0], "ties": [{"at": "tests/cli/programs/clarke.pull:31:37", "side": "above"}]}, {"value": 1.0, "gradient": [-1.0, 1.0], "ties": [{"at": "tests/cli/programs/clarke.pull:31:37", "side": "below"}]}], "convention": [0.0, 1.0], "inside": true, "jumps": false, "undecided": []}

$ pullback clarke tests/cli/programs/clarke.pull l1 '[]'
exit 0
> ()
> differentiable here: the run meets no tie
> by convention: (), inside the hull

$ pullback clarke tests/cli/programs/clarke.pull f nan
exit 1
! error[E0721]: nan is no real number, so that nothing is next to it
!  --> tests/cli/programs/clarke.pull:4:5
!   |
! 4 | def f (x: Real): Real = if x > 0.0 then x else 0.0
!   |     ^ at this point
!   |
!   = help: give an argument of finite numbers
!

$ pullback clarke tests/cli/programs/clarke.pull middle
exit 1
! error[E0827]: `middle` is not given `x`
!   --> tests/cli/programs/clarke.pull:18:5
!    |
! 18 | def middle (x: [3]Real): Real =
!    |     ^^^^^^ every parameter needs a value
!    |
!    = help: give arguments after the name, by `--arg NAME=EXPR`, or by `--input FILE`
!

$ pullback clarke tests/cli/programs/clarke.pull largest '[1.0, 1.0, 0.0]'
exit 0
> [0, 1] × [0, 1] × {2}
> 2 pieces meet here:
>   (1, 0, 2)   above at tests/cli/programs/clarke.pull:33:34, above at tests/cli/programs/clarke.pull:33:52
>   (0, 1, 2)   below at tests/cli/programs/clarke.pull:33:34, below at tests/cli/programs/clarke.pull:33:52
> by convention: (0.5, 0.5, 2), inside the hull

$ pullback clarke tests/cli/programs/clarke.pull largest '[1.0, 1.0, 1.0]'
exit 0
> [0, 2] × [0, 2] × [0, 2]
> 6 pieces meet here:
>   (1, 0, 2)   above at tests/cli/programs/clarke.pull:33:34, above at tests/cli/programs/clarke.pull:33:34, above at tests/cli/programs/clarke.pull:33:52, above at tests/cli/programs/clarke.pull:33:52
>   (1, 2, 0)   above at tests/cli/programs/clarke.pull:33:34, above at tests/cli/programs/clarke.pull:33:34, above at tests/cli/programs/clarke.pull:33:52, below at tests/cli/programs/clarke.pull:33:52
>   (0, 2, 1)   above at tests/cli/programs/clarke.pull:33:34, below at tests/cli/programs/clarke.pull:33:34, above at tests/cli/programs/clarke.pull:33:52, below at tests/cli/programs/clarke.pull:33:52
>   (0, 1, 2)   below at tests/cli/programs/clarke.pull:33:34, above at tests/cli/programs/clarke.pull:33:34, below at tests/cli/programs/clarke.pull:33:52, above at tests/cli/programs/clarke.pull:33:52
>   (2, 1, 0)   below at tests/cli/programs/clarke.pull:33:34, above at tests/cli/programs/clarke.pull:33:34, below at tests/cli/programs/clarke.pull:33:52, below at tests/cli/programs/clarke.pull:33:52
>   (2, 0, 1)   below at tests/cli/programs/clarke.pull:33:34, below at tests/cli/programs/clarke.pull:33:34, below at tests/cli/programs/clarke.pull:33:52, below at tests/cli/programs/clarke.pull:33:52
> by convention: (1, 1, 1), inside the hull

$ pullback clarke tests/cli/programs/clarke.pull largest '[1.0, 3.0, 2.0]'
exit 0
> {2} × {1} × {0}
> differentiable here: the run meets no tie
> by convention: (2, 1, 0), inside the hull

$ pullback clarke tests/cli/programs/clarke.pull cone 0.0 0.0
exit 1
! error[E0715]: `hypot` has no derivative at 0.0, 0.0
!   --> tests/cli/programs/clarke.pull:35:38
!    |
! 35 | def cone (x: Real) (y: Real): Real = hypot x y
!    |                                      ^^^^^^^^^ this is being differentiated
!    |
!    = note: here the function is not the meeting of smooth pieces: it jumps, has no value beside the point, or is infinitely steep
!    = help: take a point beside this one
!

$ pullback clarke tests/cli/programs/clarke.pull length '[0.0, 0.0]'
exit 1
! error[E0715]: `hypot` has no derivative at 0.0, 0.0
!   --> tests/cli/programs/clarke.pull:36:33
!    |
! 36 | def length (x: [2]Real): Real = norm x
!    |                                 ^^^^^^ this is being differentiated
!    |
!    = note: here the function is not the meeting of smooth pieces: it jumps, has no value beside the point, or is infinitely steep
!    = help: take a point beside this one
!

$ pullback clarke tests/cli/programs/clarke.pull big 800.0
exit 1
! error[E0721]: a value or a derivative is nan
!   --> tests/cli/programs/clarke.pull:37:5
!    |
! 37 | def big (x: Real): Real = exp x - exp x
!    |     ^^^ at this point
!    |
!    = note: `--trace-nan` of `pullback grad` tells where the first NaN arises
!
