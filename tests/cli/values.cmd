$ pullback run tests/cli/programs/calls.pull counts
exit 0
> (-1, true, "a\"b", (), [Circle (-1.0), Nothing])

$ pullback run tests/cli/programs/calls.pull counts --json
exit 0
> [-1, true, "a\"b", [], [{"Circle": -1.0}, "Nothing"]]

$ pullback run tests/cli/programs/calls.pull infinite
exit 0
> inf

$ pullback run tests/cli/programs/calls.pull infinite --json
exit 0
> "Infinity"

$ pullback run tests/cli/programs/calls.pull scaled 3
exit 1
! error[E0827]: `scaled` is not given `x`
!   --> tests/cli/programs/calls.pull:12:5
!    |
! 12 | def scaled (k: Int) (x: Real): Real = real k * x
!    |     ^^^^^^ every parameter needs a value
!    |
!    = help: give arguments after the name, by `--arg NAME=EXPR`, or by `--input FILE`
!

$ pullback run tests/cli/programs/calls.pull third '[1, 2]'
exit 1
! error[E0701]: index 2 is out of range for an array of size 2
!   --> tests/cli/programs/calls.pull:20:35
!    |
! 20 | def third (xs: []Real): Real = xs[2]
!    |                                   ^ this index is 2
!    |
!    = note: the indices of this array are 0 to 1
!    = help: test the index against `size` before using it
!

$ pullback run tests/cli/programs/calls.pull forever 1 --timeout 200ms
exit 1
! error[E0711]: the time limit of 0.2 s is over
!   --> tests/cli/programs/calls.pull:18:31
!    |
! 18 | def forever (x: Real): Real = loop y = x while true do y + 1.0
!    |                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this was being evaluated
!    |
!    = note: the program was stopped before it had a result
!    = help: make the input smaller, or raise the limit with `--timeout`
!

$ pullback run tests/cli/programs/calls.pull hungry 100000 --max-memory 100M
exit 1
! error[E0709]: not enough memory: this needs 781 KiB
!   --> tests/cli/programs/calls.pull:19:49
!    |
! 19 | def hungry (n: Int): Int = size (build n (\i -> build n (\j -> real (i + j))))
!    |                                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this is too large
!    |
!    = note: the limit is 100 MiB, and 99 MiB are in use
!    = help: make it smaller, or raise the limit with `--max-memory`
!

$ pullback check tests/cli/programs/calls.pull tests/stages/cube.pull
exit 0
! warning[W0201]: the name `y` is not used
!   --> tests/cli/programs/calls.pull:23:22
!    |
! 23 | def constant (x: a) (y: b): a = x
!    |                      ^ nothing reads it
!    |
!    = help: leave it out, or write `_` or `_y`
!
! 2 files checked: 0 errors, 1 warning

$ pullback check tests/errors/many/five_unknown.pull nowhere.pull
exit 2
! error[E0201]: unknown name `aaa`
!  --> tests/errors/many/five_unknown.pull:2:25
!   |
! 2 | def f (x: Real): Real = aaa x + bbb x
!   |                         ^^^ not in scope
!   |
!   = help: define it with `def`, bind it with `let`, or `import` the file that defines it
!
! error[E0201]: unknown name `bbb`
!  --> tests/errors/many/five_unknown.pull:2:33
!   |
! 2 | def f (x: Real): Real = aaa x + bbb x
!   |                                 ^^^ not in scope
!   |
!   = help: define it with `def`, bind it with `let`, or `import` the file that defines it
!
! error[E0201]: unknown name `ccc`
!  --> tests/errors/many/five_unknown.pull:3:25
!   |
! 3 | def g (x: Real): Real = ccc * ddd
!   |                         ^^^ not in scope
!   |
!   = help: define it with `def`, bind it with `let`, or `import` the file that defines it
!
! error[E0201]: unknown name `ddd`
!  --> tests/errors/many/five_unknown.pull:3:31
!   |
! 3 | def g (x: Real): Real = ccc * ddd
!   |                               ^^^ not in scope
!   |
!   = help: define it with `def`, bind it with `let`, or `import` the file that defines it
!
! error[E0201]: unknown name `eee`
!  --> tests/errors/many/five_unknown.pull:4:15
!   |
! 4 | def h: Real = eee
!   |               ^^^ not in scope
!   |
!   = help: define it with `def`, bind it with `let`, or `import` the file that defines it
!
! error[E0801]: cannot read `nowhere.pull`: no such file or directory
!  |
!  = help: check the path and its permissions
!
! 2 files checked: 6 errors, 0 warnings

$ pullback fmt --check tests/errors/many/arity.pull tests/cli/programs/calls.pull
exit 0

$ pullback test tests/stages/cube.pull lib/option.pull
exit 0
> tests/stages/cube.pull: no expectations
> lib/option.pull: 8 passed
> 8 passed, 0 failed

$ pullback test tests/cli/programs/clarke.pull --engine native
exit 0
> tests/cli/programs/clarke.pull: no expectations
> 0 passed, 0 failed

$ pullback test tests/ad/partial.pull --engine delta
exit 0
> tests/ad/partial.pull: 10 passed
> 10 passed, 0 failed

$ pullback test tests/ad/clipping.pull --engine dual
exit 0
> tests/ad/clipping.pull: 15 not covered
> 0 passed, 0 failed, 15 not covered

$ pullback test examples/gradbench/saddle.pull --engine delta2 --steps 20000
exit 0
> examples/gradbench/saddle.pull: 1 passed, 4 not covered; too long: 4 on delta2
> too long: `--steps N` gives engines more steps, `--engine NAME` one engine all it needs
> 1 passed, 0 failed, 4 not covered

$ pullback test tests/errors/many/two_syntax.pull
exit 1
> tests/errors/many/two_syntax.pull: not tested
> 0 passed, 1 failed
! error[E0107]: this `(` is never closed
!  --> tests/errors/many/two_syntax.pull:2:25
!   |
! 2 | def a (x: Real): Real = (x + 1.0
!   |                         ^ opened here
! 3 | def b (x: Real): Real = let y = x y
!   | --- no `)` before this
!   |
!   = help: add the missing `)`
!
! error[E0122]: expected `in`, found the keyword `def`
!  --> tests/errors/many/two_syntax.pull:3:36
!   |
! 3 | def b (x: Real): Real = let y = x y
!   |                         ---        ^ `in` should stand here
!   |                         |
!   |                         for this `let`
!   |
!   = help: write `in` after the value, then the expression that uses the name: `let x = 1 in x + 1`
!

$ pullback run tests/cli/programs/differing.pull paired '[1]'
exit 1
! error[E0703]: the size of this value as argument 3 of `map2` and the size that it must have there differ: 0 and 1
!  --> tests/cli/programs/differing.pull:3:66
!   |
! 3 | def paired (xs: []Real): Real = sum (map2 (\x y -> x * y) [1.0] (large xs))
!   |                                                                  ^^^^^^^^ these sizes must be equal
!   |
!   = note: one size is 0, the other 1
!   = help: make both sizes the same before they meet here
!

$ pullback run tests/cli/programs/differing.pull chosen '[1]'
exit 1
! error[E0703]: the size of this value as argument 1 of `sum` and the size that it must have there differ: 0 and 1
!  --> tests/cli/programs/differing.pull:4:69
!   |
! 4 | def chosen (xs: []Real): Real = sum (if xs[0] > 5.0 then [1.0] else large xs)
!   |                                                                     ^^^^^^^^ these sizes must be equal
!   |
!   = note: one size is 0, the other 1
!   = help: make both sizes the same before they meet here
!

$ pullback run tests/cli/programs/differing.pull added '[1]'
exit 1
! error[E0703]: the sizes of the operands of `+` differ: 1 and 0
!  --> tests/cli/programs/differing.pull:5:43
!   |
! 5 | def added (xs: []Real): Real = sum ([1.0] + large xs)
!   |                                           ^ these sizes must be equal
!   |
!   = note: one size is 1, the other 0
!   = help: make both sizes the same before they meet here
!

$ pullback run tests/cli/programs/differing.pull replaced '[1]'
exit 1
! error[E0703]: the size of this value and that of what it replaces differ: 0 and 1
!  --> tests/cli/programs/differing.pull:6:75
!   |
! 6 | def replaced (xs: []Real): Real = sum (flatten ([[1.0], [2.0]] with [0] = large xs))
!   |                                                                           ^^^^^^^^ these sizes must be equal
!   |
!   = note: one size is 0, the other 1
!   = help: make both sizes the same before they meet here
!

$ pullback run tests/cli/programs/squares.pull loss d.csv 2.0
exit 1
! error[E0204]: no module is imported as `d`
!  --> <argument 1>:1:1
!   |
! 1 | d.csv
!   | ^ neither a module nor a value
!   |
!   = help: a file of values is given with `--input d.csv`
!
