$ pullback grad tests/cli/programs/packed.pull energy '[{ at = [1.0, 2.0], mass = 3.0 }, { at = [0.5, -1.0], mass = 2.0 }]' --engine native
exit 0
> value: 17.5
> gradient:
>   bodies = [{ at = [6.0, 12.0], mass = 5.0 }, { at = [2.0, -4.0], mass = 1.25 }]

$ pullback grad tests/cli/programs/packed.pull energy '[]' --engine native
exit 0
> value: 0.0
> gradient:
>   bodies = []

$ pullback grad tests/cli/programs/packed.pull ragged '[{ x = [1.0, 2.0], y = 3.0 }, { x = [1.0], y = 2.0 }]' 2.0 --engine native
exit 0
> value: 22.0
> gradient:
>   data = [{ x = [6.0, 6.0], y = 6.0 }, { x = [4.0], y = 2.0 }]
>   w = 11.0

$ pullback grad tests/cli/programs/packed.pull ragged '[{ x = [1.0, 2.0], y = 3.0 }, { x = [1.0, 5.0], y = 2.0 }]' 2.0 --engine native
exit 0
> value: 42.0
> gradient:
>   data = [{ x = [6.0, 6.0], y = 6.0 }, { x = [4.0, 4.0], y = 12.0 }]
>   w = 21.0

$ pullback grad tests/cli/programs/packed.pull deep '[{ x = [1.0, 2.0], k = 2, tag = "a", more = [([1.0, 2.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])] }]' --engine native
exit 0
> value: 48.0
> gradient:
>   data = [{ x = [2.0, 2.0], k = (), tag = (), more = [([42.0, 21.0], [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]])] }]

$ pullback grad tests/cli/programs/packed.pull deep '[{ x = [1.0, 2.0], k = 2, tag = "a", more = [([1.0, 2.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])] }, { x = [0.0, 1.0], k = 3, tag = "b", more = [] }]' --engine ir
exit 0
> value: 51.0
> gradient:
>   data = [{ x = [2.0, 2.0], k = (), tag = (), more = [([42.0, 21.0], [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]])] }, { x = [3.0, 3.0], k = (), tag = (), more = [] }]

$ pullback grad tests/cli/programs/packed.pull areas '[{ shape = Circle 1.0, scale = [1.0, 2.0] }, { shape = Box [3.0, 4.0], scale = [1.0, 2.0] }]' --engine native
exit 0
> value: 14.0
> gradient:
>   data = [{ shape = Circle 3.0, scale = [1.0, 1.0] }, { shape = Box [1.0, 2.0], scale = [3.0, 4.0] }]

$ pullback run tests/cli/programs/packed.pull turned '[{ x = [1.0, 2.0] }, { x = [3.0, 4.0] }, { x = [5.0, 6.0] }]' --engine native
exit 0
> [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]

$ pullback run tests/cli/programs/packed.pull turned '[]' --engine native
exit 0
> [[], []]

$ pullback jvp tests/cli/programs/packed.pull ragged '[{ x = [1.0, 2.0], y = 3.0 }, { x = [1.0, 5.0], y = 2.0 }]' 2.0 --tangent '([{ x = [1.0, 1.0], y = 1.0 }, { x = [1.0, 1.0], y = 1.0 }], 1.0)' --engine native
exit 0
> value: 42.0
> tangent: 59.0

$ pullback jvp tests/cli/programs/packed.pull ragged '[{ x = [1.0, 2.0], y = 3.0 }, { x = [1.0, 5.0], y = 2.0 }]' 2.0 --tangent '([{ x = [1.0], y = 1.0 }, { x = [1.0], y = 1.0 }], 1.0)' --engine native
exit 1
! error[E0713]: the tangent has another shape than the value it belongs to
!  --> tests/cli/programs/packed.pull:6:5
!   |
! 6 | def ragged [n] (data: [n]{ x: []Real, y: Real }) (w: Real): Real = sum [ w * r.y * sum r.x | r <- data ]
!   |     ^^^^^^ this needs an array of size 2 but has one of size 1
!   |
!   = note: the tangent of a value has the same sizes and constructors as the value
!   = help: start from `zeros x`, which has the shape of `x`
!

$ pullback jvp tests/cli/programs/packed.pull ragged '[{ x = [1.0, 2.0], y = 3.0 }, { x = [1.0, 5.0], y = 2.0 }]' 2.0 --tangent '([{ x = [1.0, 1.0], y = 1.0 }, { x = [1.0], y = 1.0 }], 1.0)' --engine native
exit 1
! error[E0713]: the tangent has another shape than the value it belongs to
!  --> tests/cli/programs/packed.pull:6:5
!   |
! 6 | def ragged [n] (data: [n]{ x: []Real, y: Real }) (w: Real): Real = sum [ w * r.y * sum r.x | r <- data ]
!   |     ^^^^^^ this needs an array of size 2 but has one of size 1
!   |
!   = note: the tangent of a value has the same sizes and constructors as the value
!   = help: start from `zeros x`, which has the shape of `x`
!

$ pullback grad tests/cli/programs/packed.pull orbit 5 '[{ at = [1.0, 0.0], speed = [0.0, 0.5], mass = 1.0 }, { at = [-1.0, 0.0], speed = [0.0, -0.5], mass = 2.0 }, { at = [0.0, 3.0], speed = [0.1, 0.2], mass = 0.5 }]' --engine ir
exit 0
> value: 7.108955745688641
> gradient:
>   bodies = [{ at = [1.8921493836179404, 0.459494801662595], speed = [0.8926689868116483, 0.2565347705825547], mass = 0.4769045965318266 }, { at = [-3.8929181743016024, -0.9369795824292795], speed = [-1.887963020324134, -0.4586027528775736], mass = 0.6923645967199339 }, { at = [0.05076879068366276, 3.0774847807666843], speed = [0.02029403351248558, 1.5020679822950187], mass = 8.779310035560792 }]

$ pullback grad tests/cli/programs/packed.pull units '[((1.0, [2.0, 3.0]), [[1.0, 2.0]], ()), ((1.0, [2.0, 3.0]), [[1.0, 2.0]], ())]' --engine native
exit 0
> value: 16.0
> gradient:
>   data = [((5.0, [1.0, 1.0]), [[1.0, 1.0]], ()), ((5.0, [1.0, 1.0]), [[1.0, 1.0]], ())]

$ pullback run tests/cli/programs/packed.pull nothing '[()]' 1 --engine native
exit 1
! error[E0701]: index 1 is out of range for an array of size 1
!   --> tests/cli/programs/packed.pull:33:47
!    |
! 33 | def nothing (u: []()) (i: Int): Int = match u[i] with | () -> i
!    |                                               ^ this index is 1
!    |
!    = note: the indices of this array are 0 to 0
!    = help: test the index against `size` before using it
!
