$ pullback run tests/cli/programs/calls.pull -e 'scaled 3 (-2.0)'
exit 0
> -6.0

$ pullback run tests/cli/programs/calls.pull --eval '-1.5'
exit 0
> -1.5

$ pullback run tests/cli/programs/calls.pull -e '[grad (scaled 3) x | x <- [1.0, 2.0]]' --engine ir --json
exit 0
> [3.0, 3.0]

$ pullback run tests/cli/programs/calls.pull -e '(scaled 3 1.0, counts)' --engine native
exit 0
> (3.0, (-1, true, "a\"b", (), [Circle (-1.0), Nothing]))

$ pullback run tests/cli/programs/calls.pull -e 'scaled 3'
exit 0
> <function: Real -> Real>

$ pullback run tests/cli/programs/calls.pull -e 'scaled 3 true'
exit 1
! error[E0301]: expected `Real`, found `Bool`
!  --> <expression>:1:10
!   |
! 1 | scaled 3 true
!   |          ^^^^ this is `Bool`
!   |
!   = note: argument 2 of `scaled` must be `Real`
!   = help: write `if c then 1.0 else 0.0` to turn a condition into a number
!

$ pullback run tests/cli/programs/calls.pull -e 'scaled 3 +'
exit 1
! error[E0115]: the text ends where an expression should follow after `+`
!  --> <expression>:1:10
!   |
! 1 | scaled 3 +
!   |          ^ an expression should follow this
!   |
!   = help: write the missing expression
!

$ pullback run tests/cli/programs/calls.pull -e 'nothing'
exit 1
! error[E0201]: unknown name `nothing`
!  --> <expression>:1:1
!   |
! 1 | nothing
!   | ^^^^^^^ not in scope
!   |
!   = help: there is no null; a value that may be missing is an `Option`
!

$ pullback run tests/cli/programs/calls.pull -e '[1.0, 2.0][:5]'
exit 1
! error[E0402]: this slice is outside of its array
!  --> <expression>:1:1
!   |
! 1 | [1.0, 2.0][:5]
!   | ^^^^^^^^^^^^^^ this array has 2 elements
!   |
!   = note: a slice `[lo:hi]` goes from the index `lo` to before the index `hi`
!   = help: both ends lie between 0 and the size, the first at most the second; `[lo:]` goes to the end
!

$ pullback run tests/cli/programs/calls.pull -e 'third [1, 2]'
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

$ pullback run tests/cli/programs/calls.pull -e ''
exit 1
! error[E0115]: the text ends where an expression should follow
!  --> <expression>:1:1
!   |
! 1 |
!   | ^ an expression should follow this
!   |
!   = help: write the missing expression
!

$ pullback run tests/cli/programs/calls.pull -e '\x -> x' --output target/eval.json
exit 1
! error[E0826]: the answer is of the type `Real -> Real`, for which the output file has no place
!  --> <expression>:1:1
!   |
! 1 | \x -> x
!   | ^^^^^^^ this is asked for
!   |
!   = help: give the definition all its arguments: files keep data
!

$ pullback run tests/cli/programs/calls.pull third -e 'third [1, 2, 3]'
exit 2
! error: the argument '[ENTRY]' cannot be used with '--eval <EXPR>'
!
! Usage: pullback run <FILE> <ENTRY> [ARG]...
!
! For more information, try '--help'.

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

$ pullback run tests/cli/programs/calls.pull scaled
exit 1
! error[E0827]: `scaled` is not given `k`, `x`
!   --> tests/cli/programs/calls.pull:12:5
!    |
! 12 | def scaled (k: Int) (x: Real): Real = real k * x
!    |     ^^^^^^ every parameter needs a value
!    |
!    = help: give arguments after the name, by `--arg NAME=EXPR`, or by `--input FILE`
!
