$ pullback run tests/cli/programs/layout.pull table --width 60
exit 0
> [[  1.0,   22.5,       -3.0],
>  [400.0,    0.333333,   0.0],
>  [ -1e-9, inf,        nan  ]]

$ pullback run tests/cli/programs/layout.pull table
exit 0
> [[1.0, 22.5, -3.0], [400.0, 0.3333333333333333, 0.0], [-1e-9, inf, nan]]

$ pullback run tests/cli/programs/layout.pull -e 'counted 4 60' --width 60
exit 0
> [[  0,   1,   2,   3,   4,   5, …,  55,  56,  57,  58,  59],
>  [ 60,  61,  62,  63,  64,  65, …, 115, 116, 117, 118, 119],
>  [120, 121, 122, 123, 124, 125, …, 175, 176, 177, 178, 179],
>  [180, 181, 182, 183, 184, 185, …, 235, 236, 237, 238, 239]]

$ pullback run tests/cli/programs/layout.pull -e 'counted 30 3' --width 60
exit 0
> [[ 0,  1,  2],
>  [ 3,  4,  5],
>  [ 6,  7,  8],
>  [ 9, 10, 11],
>  [12, 13, 14],
>  [15, 16, 17],
>  [18, 19, 20],
>  [21, 22, 23],
>  [24, 25, 26],
>  [27, 28, 29],
>  … 10 more
>  [60, 61, 62],
>  [63, 64, 65],
>  [66, 67, 68],
>  [69, 70, 71],
>  [72, 73, 74],
>  [75, 76, 77],
>  [78, 79, 80],
>  [81, 82, 83],
>  [84, 85, 86],
>  [87, 88, 89]]

$ pullback run tests/cli/programs/layout.pull -e 'counted 3 12' --width 30 --full
exit 0
> [[ 0,  1,  2,  3,  4,  5,  6,
>    7,  8,  9, 10, 11],
>  [12, 13, 14, 15, 16, 17, 18,
>   19, 20, 21, 22, 23],
>  [24, 25, 26, 27, 28, 29, 30,
>   31, 32, 33, 34, 35]]

$ pullback run tests/cli/programs/layout.pull -e 'long 5' --width 60
exit 0
> [0.0, 1.0, 1.41421, 1.73205, 2.0]

$ pullback run tests/cli/programs/layout.pull -e 'long 5' --width 60 --full
exit 0
> [0.0, 1.0, 1.4142135623730951, 1.7320508075688772, 2.0]

$ pullback run tests/cli/programs/layout.pull -e 'long 5' --precision 3
exit 0
> [0.0, 1.0, 1.41, 1.73, 2.0]

$ pullback run tests/cli/programs/layout.pull -e 'long 20' --width 60
exit 0
> [0.0,     1.0,     1.41421, 1.73205, 2.0,     2.23607,
>  2.44949, 2.64575, 2.82843, 3.0,     3.16228, 3.31662,
>  3.4641,  3.60555, 3.74166, 3.87298, 4.0,     4.12311,
>  4.24264, 4.3589]

$ pullback run tests/cli/programs/layout.pull -e 'long 1000000' --width 60
exit 0
> [  0.0,       1.0,       1.41421,   1.73205,   2.0,
>    2.23607,   2.44949,   2.64575,   2.82843,   3.0,
>    3.16228,   3.31662,   3.4641,    3.60555,   3.74166,
>    3.87298,   4.0,       4.12311,   4.24264,   4.3589,
>  … 999960 more
>  999.99,    999.99,    999.991,   999.991,   999.992,
>  999.992,   999.993,   999.993,   999.994,   999.994,
>  999.995,   999.995,   999.996,   999.996,   999.997,
>  999.997,   999.998,   999.998,   999.999,   999.999]

$ pullback run tests/cli/programs/layout.pull cube --width 60
exit 0
> [[[ 0,  1,  2],
>   [10, 11, 12]],
>  [[100, 101, 102],
>   [110, 111, 112]],
>  [[200, 201, 202],
>   [210, 211, 212]],
>  … 2 more
>  [[500, 501, 502],
>   [510, 511, 512]],
>  [[600, 601, 602],
>   [610, 611, 612]],
>  [[700, 701, 702],
>   [710, 711, 712]]]

$ pullback run tests/cli/programs/layout.pull truths --width 60
exit 0
> [[false, true,  true ],
>  [false, false, true ],
>  [false, false, false]]

$ pullback run tests/cli/programs/layout.pull model 3 --width 60
exit 0
> { w = [[0.0,      -0.142857, -0.285714],
>        [0.142857,  0.0,      -0.142857],
>        [0.285714,  0.142857,  0.0     ]],
>   b = [0.0, 1.0, 1.41421],
>   rate = 0.3333333333333333,
>   name = "first",
>   sub = { ints = [1, 2] } }

$ pullback run tests/cli/programs/layout.pull model 30 --width 60 --precision 2
exit 0
> { w = [[0.0,  -0.14, -0.29, …, -3.9,  -4.0,  -4.1 ],
>        [0.14,  0.0,  -0.14, …, -3.7,  -3.9,  -4.0 ],
>        [0.29,  0.14,  0.0,  …, -3.6,  -3.7,  -3.9 ],
>        [0.43,  0.29,  0.14, …, -3.4,  -3.6,  -3.7 ],
>        [0.57,  0.43,  0.29, …, -3.3,  -3.4,  -3.6 ],
>        [0.71,  0.57,  0.43, …, -3.1,  -3.3,  -3.4 ],
>        [0.86,  0.71,  0.57, …, -3.0,  -3.1,  -3.3 ],
>        [1.0,   0.86,  0.71, …, -2.9,  -3.0,  -3.1 ],
>        [1.1,   1.0,   0.86, …, -2.7,  -2.9,  -3.0 ],
>        [1.3,   1.1,   1.0,  …, -2.6,  -2.7,  -2.9 ],
>        … 10 more
>        [2.9,   2.7,   2.6,  …, -1.0,  -1.1,  -1.3 ],
>        [3.0,   2.9,   2.7,  …, -0.86, -1.0,  -1.1 ],
>        [3.1,   3.0,   2.9,  …, -0.71, -0.86, -1.0 ],
>        [3.3,   3.1,   3.0,  …, -0.57, -0.71, -0.86],
>        [3.4,   3.3,   3.1,  …, -0.43, -0.57, -0.71],
>        [3.6,   3.4,   3.3,  …, -0.29, -0.43, -0.57],
>        [3.7,   3.6,   3.4,  …, -0.14, -0.29, -0.43],
>        [3.9,   3.7,   3.6,  …,  0.0,  -0.14, -0.29],
>        [4.0,   3.9,   3.7,  …,  0.14,  0.0,  -0.14],
>        [4.1,   4.0,   3.9,  …,  0.29,  0.14,  0.0 ]],
>   b = [0.0, 1.0, 1.4, 1.7, 2.0, 2.2, 2.4, 2.6, 2.8, 3.0,
>        3.2, 3.3, 3.5, 3.6, 3.7, 3.9, 4.0, 4.1, 4.2, 4.4,
>        4.5, 4.6, 4.7, 4.8, 4.9, 5.0, 5.1, 5.2, 5.3, 5.4],
>   rate = 0.33,
>   name = "first",
>   sub = { ints = [1, 2] } }

$ pullback run tests/cli/programs/layout.pull layers --width 60
exit 0
> [Dense { w = [[  1.0,   22.5,       -3.0],
>               [400.0,    0.333333,   0.0],
>               [ -1e-9, inf,        nan  ]],
>          b = [0.0,     1.0,     1.41421, 1.73205,
>               2.0,     2.23607, 2.44949, 2.64575,
>               2.82843, 3.0,     3.16228, 3.31662,
>               3.4641,  3.60555, 3.74166, 3.87298,
>               … 8 more
>               4.89898, 5.0,     5.09902, 5.19615,
>               5.2915,  5.38516, 5.47723, 5.56776,
>               5.65685, 5.74456, 5.83095, 5.91608,
>               6.0,     6.08276, 6.16441, 6.245] },
>  Relu]

$ pullback run tests/cli/programs/layout.pull chain 3 --width 80
exit 0
> Node (Leaf 2.0) (Node (Leaf 1.0) (Node (Leaf 0.0) (Leaf 0.0)))

$ pullback run tests/cli/programs/layout.pull chain 12 --width 60
exit 0
> Node
>    (Leaf 11.0)
>    (Node
>       (Leaf 10.0)
>       (Node
>          (Leaf 9.0)
>          (Node
>             (Leaf 8.0)
>             (Node
>                (Leaf 7.0)
>                (Node
>                   (Leaf 6.0)
>                   (Node
>                      (Leaf 5.0)
>                      (Node
>                         (Leaf 4.0)
>                         (Node
>                            (Leaf 3.0)
>                            (Node
>                               (Leaf 2.0)
>                               (Node
>                                  (Leaf 1.0)
>                                  (Node
>                                     (Leaf 0.0)
>                                     (Leaf 0.0))))))))))))

$ pullback run tests/cli/programs/layout.pull people --width 60
exit 0
> [(0, { name = "p", size = 0.0 }),
>  (1, { name = "p", size = 0.333333 }),
>  (2, { name = "p", size = 0.666667 }),
>  (3, { name = "p", size = 1.0 }),
>  (4, { name = "p", size = 1.33333 }),
>  (5, { name = "p", size = 1.66667 }),
>  (6, { name = "p", size = 2.0 }),
>  (7, { name = "p", size = 2.33333 }),
>  (8, { name = "p", size = 2.66667 }),
>  (9, { name = "p", size = 3.0 }),
>  … 10 more
>  (20, { name = "p", size = 6.66667 }),
>  (21, { name = "p", size = 7.0 }),
>  (22, { name = "p", size = 7.33333 }),
>  (23, { name = "p", size = 7.66667 }),
>  (24, { name = "p", size = 8.0 }),
>  (25, { name = "p", size = 8.33333 }),
>  (26, { name = "p", size = 8.66667 }),
>  (27, { name = "p", size = 9.0 }),
>  (28, { name = "p", size = 9.33333 }),
>  (29, { name = "p", size = 9.66667 })]

$ pullback run tests/cli/programs/layout.pull -e '1.0 / 3.0' --width 60
exit 0
> 0.3333333333333333

$ pullback run tests/cli/programs/layout.pull -e '[1.0 / 3.0, 123456789.0, 1e300]' --width 60
exit 0
> [0.333333, 1.23457e8, 1e300]

$ pullback run tests/cli/programs/layout.pull -e '([] : [0][3]Real)' --width 60
exit 0
> ([] : [0][3]Real)

$ pullback run tests/cli/programs/layout.pull -e '([[], []] : [][]Real)' --width 60
exit 0
> [[],
>  []]

$ pullback run tests/cli/programs/layout.pull -e 'square' --width 60
exit 0
> <function: [][]Real -> Real -> Real>

$ pullback grad tests/cli/programs/layout.pull square table 2.0 --width 60
exit 0
> value: nan
> gradient:
>   a = [[   4.0,   90.0,     -12.0],
>        [1600.0,    1.33333,   0.0],
>        [  -4e-9, inf,       nan  ]]
>   k = nan

$ pullback jvp tests/cli/programs/layout.pull square '[[1.0, 2.0], [3.0, 4.0]]' 2.0 --tangent 1.0 --wrt k --width 60
exit 0
> value: 60.0
> tangent: 30.0

$ pullback vjp tests/cli/programs/layout.pull square '[[1.0, 2.0], [3.0, 4.0]]' 2.0 --cotangent 1.0 --wrt a --precision 4
exit 0
> value: 60.0
> pullback:
>   a = [[ 4.0,  8.0],
>        [12.0, 16.0]]

$ pullback run tests/cli/programs/layout.pull table --width 60 --json
exit 2
! error: the argument '--width <COLUMNS>' cannot be used with '--json'
!
! Usage: pullback run --width <COLUMNS> <FILE> <ENTRY> [ARG]...
!
! For more information, try '--help'.

$ pullback run tests/cli/programs/layout.pull table --width 5
exit 2
! error: invalid value '5' for '--width <COLUMNS>': 5 is not in 20..=65535
!
! For more information, try '--help'.

$ pullback run tests/cli/programs/layout.pull table --precision 18
exit 2
! error: invalid value '18' for '--precision <DIGITS>': 18 is not in 1..=17
!
! For more information, try '--help'.
