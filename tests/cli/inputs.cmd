$ pullback run tests/cli/programs/data/fit.pull loss --input tests/cli/programs/data/points.csv --input model=tests/cli/programs/data/start.json
exit 0
> 0.16666666666666666
! warning[W0802]: `loss` has no use for `who`
!  --> tests/cli/programs/data/points.csv:1:1
!   |
! 1 | xs,ys,who
!   | ^ not used
!   |
!   = note: `tests/cli/programs/data/points.csv` has more than the parameters take
!   = help: there are the parameters `xs`, `ys`, `model`
!

$ pullback run tests/cli/programs/data/fit.pull loss --input tests/cli/programs/data/points.csv '{ slope = 1.0, offset = 0.0 }'
exit 0
> 0.75
! warning[W0802]: `loss` has no use for `who`
!  --> tests/cli/programs/data/points.csv:1:1
!   |
! 1 | xs,ys,who
!   | ^ not used
!   |
!   = note: `tests/cli/programs/data/points.csv` has more than the parameters take
!   = help: there are the parameters `xs`, `ys`, `model`
!

$ pullback run tests/cli/programs/data/fit.pull loss --input tests/cli/programs/data/points.csv --arg 'model={ slope = 1.0, offset = 0.0 }'
exit 0
> 0.75
! warning[W0802]: `loss` has no use for `who`
!  --> tests/cli/programs/data/points.csv:1:1
!   |
! 1 | xs,ys,who
!   | ^ not used
!   |
!   = note: `tests/cli/programs/data/points.csv` has more than the parameters take
!   = help: there are the parameters `xs`, `ys`, `model`
!

$ pullback grad tests/cli/programs/data/fit.pull loss --input tests/cli/programs/data/points.csv --input model=tests/cli/programs/data/start.json
exit 0
> value: 0.16666666666666666
> gradient:
>   xs = [0.0, -0.16666666666666666, -0.16666666666666666]
>   ys = [-0.0, 0.3333333333333333, 0.3333333333333333]
>   model = { slope = -1.0, offset = -0.6666666666666666 }
! warning[W0802]: `loss` has no use for `who`
!  --> tests/cli/programs/data/points.csv:1:1
!   |
! 1 | xs,ys,who
!   | ^ not used
!   |
!   = note: `tests/cli/programs/data/points.csv` has more than the parameters take
!   = help: there are the parameters `xs`, `ys`, `model`
!

$ pullback run tests/cli/programs/data/fit.pull line --arg rate=-0.5 2.0 1.0
exit 0
> 0.0

$ pullback run tests/cli/programs/data/fit.pull line --arg rate=-0.5 --arg rate=1.0 2.0 1.0
exit 1
! error[E0806]: the parameter `rate` is given twice
!  --> <argument rate>:1:1
!   |
! 1 | 1.0
!   | ^^^ the second time
!   |
!  ::: <argument rate>:1:1
!   |
! 1 | -0.5
!   | ---- the first time
!   |
!   = help: leave one of them out
!

$ pullback run tests/cli/programs/data/fit.pull line --arg rte=-0.5 2.0 1.0
exit 1
! error[E0805]: `line` has no parameter `rte`
!  --> <argument rte>:1:1
!   |
! 1 | -0.5
!   | ^^^^ no parameter has this name
!   |
!  ::: tests/cli/programs/data/fit.pull:7:5
!   |
! 7 | def line (x: Real) (rate: Real) (offset: Real): Real = rate * x + offset
!   |     ---- defined here
!   |
!   = help: did you mean `rate`?
!

$ pullback run tests/cli/programs/data/fit.pull line --arg rate=-0.5 2.0 1.0 3.0
exit 1
! error[E0808]: `line` takes 3 arguments, but 3 are given beside 1 by name
!  --> <argument 3>:1:1
!   |
! 1 | 3.0
!   | ^^^ this one is too many
!   |
!  ::: tests/cli/programs/data/fit.pull:7:5
!   |
! 7 | def line (x: Real) (rate: Real) (offset: Real): Real = rate * x + offset
!   |     ---- defined here
!   |
!   = help: put an argument of several words in quotes: the shell splits at spaces
!

$ pullback run tests/cli/programs/data/fit.pull line --arg rate
exit 2
! error: invalid value 'rate' for '--arg <NAME=EXPR>': write the name of a parameter and an expression, such as rate=0.1
!
! For more information, try '--help'.

$ pullback run tests/cli/programs/data/fit.pull line --arg rate=
exit 1
! error[E0115]: the text ends where an expression should follow
!  --> <argument rate>:1:1
!   |
! 1 |
!   | ^ an expression should follow this
!   |
!   = help: write the missing expression
!

$ pullback run tests/cli/programs/data/fit.pull line --input rate=
exit 2
! error: invalid value 'rate=' for '--input <[NAME=]FILE>': write a file, or the name of a parameter and a file, such as xs=data.npy
!
! For more information, try '--help'.

$ pullback run tests/cli/programs/data/fit.pull line --input rte=tests/cli/programs/data/start.json
exit 1
! error[E0805]: `line` has no parameter `rte`
!  --> tests/cli/programs/data/start.json:1:1
!   |
! 1 | { "slope": 0.5, "offset": 1.0 }
!   | ^ no parameter has this name
!   |
!  ::: tests/cli/programs/data/fit.pull:7:5
!   |
! 7 | def line (x: Real) (rate: Real) (offset: Real): Real = rate * x + offset
!   |     ---- defined here
!   |
!   = help: did you mean `rate`?
!

$ pullback run tests/cli/programs/data/fit.pull loss --input tests/cli/programs/data/points.csv --input xs=tests/cli/programs/data/points.csv
exit 1
! error[E0806]: the parameter `xs` is given twice
!  --> tests/cli/programs/data/points.csv:1:1
!   |
! 1 | xs,ys,who
!   | ^ the second time
!   |
!  ::: tests/cli/programs/data/points.csv:1:1
!   |
! 1 | xs,ys,who
!   | - the first time
!   |
!   = help: leave one of them out
!

$ pullback run tests/cli/programs/data/fit.pull loss --input tests/cli/programs/data/points.csv
exit 1
! error[E0827]: `loss` is not given `model`
!  --> tests/cli/programs/data/fit.pull:4:5
!   |
! 4 | def loss [n] (xs: [n]Real) (ys: [n]Real) (model: Model): Real =
!   |     ^^^^ every parameter needs a value
!   |
!   = help: add `model` to `tests/cli/programs/data/points.csv`, or write `--arg model=…`
!

$ pullback run tests/cli/programs/data/fit.pull loss --input nowhere.csv
exit 2
! error[E0801]: cannot read `nowhere.csv`: no such file or directory
!  |
!  = help: check the path and its permissions
!

$ pullback run tests/cli/programs/data/fit.pull loss --input points.txt
exit 2
! error[E0818]: `points.txt` has the ending `.txt`
!  |
!  = note: an input file is JSON, a table, a NumPy array or a NumPy archive, and its ending says which
!  = help: name it `.json`, `.csv`, `.npy` or `.npz`
!

$ pullback run tests/cli/programs/data/fit.pull loss --input tests
exit 2
! error[E0801]: cannot read `tests`: is a directory
!  |
!  = help: check the path and its permissions
!

$ pullback check-grad tests/cli/programs/data/fit.pull loss --input tests/cli/programs/data/points.csv --input model=tests/cli/programs/data/start.json
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -0.1323782764685303, ⟨Jᵀ u, v⟩ = -0.1323782764685303
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: 0.5269006443286198 by the engine, 0.5269006443286198 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.8493673497742951, ⟨Jᵀ u, v⟩ = 0.8493673497742951
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: -1.5728715066210601 by the engine, -1.5728715066210601 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.4840473248366368, ⟨Jᵀ u, v⟩ = 0.4840473248366368
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: -0.5414974868253211 by the engine, -0.5414974868253211 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 0.12259032455258506, ⟨Jᵀ u, v⟩ = 0.12259032455258503
> direction 4: Taylor holds: the remainder shrinks like h^1.99
> direction 4: complex step holds: 0.1864891174727267 by the engine, 0.1864891174727267 by the complex step
> 12 checks in 4 directions: 12 hold
! warning[W0802]: `loss` has no use for `who`
!  --> tests/cli/programs/data/points.csv:1:1
!   |
! 1 | xs,ys,who
!   | ^ not used
!   |
!   = note: `tests/cli/programs/data/points.csv` has more than the parameters take
!   = help: there are the parameters `xs`, `ys`, `model`
!

$ pullback run tests/cli/programs/calls.pull area --input tests/cli/programs/data/two_constructors.json
exit 1
! error[E0804]: the input at `$.s` does not fit its parameter
!  --> tests/cli/programs/data/two_constructors.json:1:7
!   |
! 1 | {"s": {"Box": [2.0, 3.0], "Circle": 1.0}}
!   |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this object holds 2 constructors, `Box`, `Circle`: a value has one constructor
!   |
!   = note: the parameter has the type `Shape`
!   = help: write {"Circle": …}: one constructor of `Shape`, with what it holds
!

$ pullback run tests/cli/programs/calls.pull area --input tests/cli/programs/data/no_constructor.json
exit 1
! error[E0804]: the input at `$.s` does not fit its parameter
!  --> tests/cli/programs/data/no_constructor.json:1:7
!   |
! 1 | {"s": {"r": 1.0, "x": 0.0, "y": 0.0, "z": 2.0}}
!   |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this object holds 4 names, `r`, `x`, `y`, …: a value has one constructor
!   |
!   = note: the parameter has the type `Shape`
!   = help: write {"Circle": …}: one constructor of `Shape`, with what it holds
!

$ pullback run tests/cli/programs/calls.pull area --input tests/cli/programs/data/nothing.json
exit 1
! error[E0804]: the input at `$.s` does not fit its parameter
!  --> tests/cli/programs/data/nothing.json:1:7
!   |
! 1 | {"s": {}}
!   |       ^^ this object names no constructor
!   |
!   = note: the parameter has the type `Shape`
!   = help: write {"Circle": …}: one constructor of `Shape`, with what it holds
!
