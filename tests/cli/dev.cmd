$ pullback dev tests/stages/cube.pull square --dump lambda
exit 0
> def square.0 : Real -> Real =
>   \(x.1 : Real) -> mul x.1 x.1

$ pullback dev tests/stages/cube.pull --dump ir
exit 0
> fn @square.0(x.0: f64) -> f64 {
>   t.1: f64 = mul(x.0, x.0)
>   yield t.1
> }
>
> fn @main.1(x.2: f64) -> f64 {
>   t.3: bool = gt(x.2, 0.0)
>   t.4: f64 = if t.3 {
>     y.5: f64 = @square.0(x.2)
>     t.6: f64 = mul(x.2, y.5)
>     yield t.6
>   } else {
>     t.7: f64 = neg(x.2)
>     yield t.7
>   }
>   yield t.4
> }

$ pullback dev tests/stages/cube.pull square --stop-after jvp
exit 0
> fn @`jvp square`.0(x.0: f64, x_dot.1: lin f64) -> f64, f64 {
>   t.2: f64 = mul(x.0, x.0)
>   d.3: lin f64 = mul(x_dot.1, x.0)
>   d.4: lin f64 = mul(x_dot.1, x.0)
>   d.5: lin f64 = add(d.3, d.4)
>   yield t.2, d.5
> }

$ pullback dev tests/cli/programs/squares.pull loss --dump jvp --without simplify,inline
exit 0
> fn @`jvp loss`.0(x.0: []f64, scale.1: f64, x_dot.2: lin []f64, scale_dot.3: lin f64) -> f64, f64 {
>   n.4: i64 = dim(x.0, 0)
>   array.5: []f64, array_dot.6: lin []f64 = for i.7 < n.4 {
>     element.8: f64 = x.0[i.7]
>     element_dot.9: lin f64 = x_dot.2[i.7]
>     t.10: f64 = mul(scale.1, element.8)
>     d.11: lin f64 = mul(scale_dot.3, element.8)
>     d.12: lin f64 = mul(element_dot.9, scale.1)
>     d.13: lin f64 = add(d.11, d.12)
>     t.14: f64 = pow_int(t.10, 2)
>     p.15: f64 = pow_slope(t.10, 2)
>     d.16: lin f64 = mul(d.13, p.15)
>     collect t.14, d.16
>   }
>   total.17: f64 = sum(array.5)
>   total_dot.18: lin f64 = sum(array_dot.6)
>   yield total.17, total_dot.18
> }

$ pullback dev tests/stages/cube.pull main 2.0 --count
exit 0
>             value  gradient
> operations      4         9
> weight          4         9
> bytes       19456     19456
> peak        19456     19456
> copied          0         0
> steps           0         0

$ pullback dev tests/stages/cube.pull main --input tests/cli/nowhere.json --count
exit 2
! error[E0801]: cannot read `tests/cli/nowhere.json`: no such file or directory
!  |
!  = help: check the path and its permissions
!

$ pullback dev tests/stages/cube.pull --count
exit 0
> function  statements
> square             1
> main               5

$ pullback dev examples/gradbench/llsq.pull x --stop-after specialise --without specialise
exit 0
> def x.0 : []Real =
>   [
>     0.3612030706706052,
>     0.4432115131179515,
>     0.11630863703393723,
>     0.07551809769708984,
>     0.5494570476328137,
>     0.31958007528081045,
>     0.8587959383687593,
>     0.31462959671573587]

$ pullback dev tests/cli/programs/asks.ir slope --count
exit 0
>             value
> operations      0
> weight          0
> bytes        1536
> peak         1536
> copied          0
> steps           0

$ pullback dev tests/cli/programs/asks.ir slope --dump ad
exit 0
> fn @slope.0() -> f64 {
>   y.0: f64, x.1: f64 = @`forward square`.1(3.0)
>   x_bar.2: f64 = @`pull square`.2(x.1, 1.0)
>   yield x_bar.2
> }
>
> fn @`forward square`.1(x.3: f64) -> f64, f64 {
>   y.4: f64 = mul(x.3, x.3)
>   yield y.4, x.3
> }
>
> fn @`pull square`.2(x.5: f64, y_bar.6: f64) -> f64 {
>   bar.7: f64 = mul(y_bar.6, x.5)
>   bar.8: f64 = mul(y_bar.6, x.5)
>   bar.9: f64 = add(bar.7, bar.8)
>   yield bar.9
> }

$ pullback dev tests/cli/programs/asks.ir square --dump transpose
exit 0
> fn @`forward square`.0(x.0: f64) -> f64, f64 {
>   y.1: f64 = mul(x.0, x.0)
>   yield y.1, x.0
> }
>
> fn @`pull square`.1(x.2: f64, y_bar.3: f64) -> f64 {
>   bar.4: f64 = mul(y_bar.3, x.2)
>   bar.5: f64 = mul(y_bar.3, x.2)
>   bar.6: f64 = add(bar.4, bar.5)
>   yield bar.6
> }

$ pullback dev tests/cli/programs/asks.ir slop
exit 2
! error[E0809]: there is no function `slop`
!  |
!  = help: there are the functions `square.0`, `slope.1`
!

$ pullback dev tests/cli/programs/asks.ir square --count
exit 1
! error[E0827]: `square` takes another number of arguments: 1, not 0
!  |
!  = help: give an argument for each parameter: a number, a truth value, or an array of them
!

$ pullback dev tests/cli/programs/asks.ir square 3.0 --count
exit 0
>             value
> operations      1
> weight          1
> bytes       19456
> peak        19456
> copied          0
> steps           0

$ pullback dev tests/cli/programs/asks.ir square [1.0] --count
exit 1
! error[E0804]: this is no value for the parameter `x` of `square`
!  --> <argument 1>:1:1
!   |
! 1 | [1.0]
!   | ^^^^^ this must be of the type `f64`
!   |
!   = note: code takes numbers, truth values, and arrays of them with rows of one size
!   = help: for other types add a function to the text that makes the value and calls this one
!

$ pullback dev tests/cli/programs/rows.ir pick '[[1.0, 2], [-3.0, 4.5]]' 1 true --count
exit 0
>             value
> operations      2
> weight          2
> bytes       19520
> peak        19456
> copied          0
> steps           0

$ pullback dev tests/cli/programs/rows.ir pick '[[1.0, 2.0], [3.0]]' 1 true --count
exit 1
! error[E0804]: this is no value for the parameter `a` of `pick`
!  --> <argument 1>:1:1
!   |
! 1 | [[1.0, 2.0], [3.0]]
!   | ^^^^^^^^^^^^^^^^^^^ this must be of the type `[][]f64`
!   |
!   = note: code takes numbers, truth values, and arrays of them with rows of one size
!   = help: for other types add a function to the text that makes the value and calls this one
!

$ pullback dev tests/cli/programs/rows.ir pick '[[1.0, 2.0]]' -1 true --count
exit 1
! error[E0701]: index -1 is out of range for an array of size 1
!  --> tests/cli/programs/rows.ir:2:3
!   |
! 2 |   row.3: []f64 = a.0[i.1]
!   |   ^^^^^^^^^^^^^^^^^^^^^^^ this index is -1
!   |
!   = note: the indices of this array are 0 to 0
!   = help: test the index against `size` before using it
!

$ pullback dev tests/cli/programs/asks.ir --dump lambda
exit 2
! error[E0813]: code has no stage `lambda`
!  |
!  = note: a file that ends in `.ir` is the text of the stage `ir` or of a later one
!  = help: name the stage `ir` or a later one
!

$ pullback dev tests/cli/programs/broken.ir
exit 1
! error[E0191]: `tests/cli/programs/broken.ir` breaks the rules of code
!  |
!  = note: in `@half.0`, at `y.1: f64 = div(`?`.2, 2.0)`: v2 is not declared (rule `declared`: Every variable, function, data type, text, request and rule that is named is in its table.)
!  = help: start from the printed text of a stage and change a part of it
!

$ pullback dev tests/stages/cube.pull --dump irr
exit 2
! error[E0813]: there is no stage `irr`
!  |
!  = help: did you mean `ir`?
!

$ pullback dev tests/stages/cube.pull --stop-after trnspose
exit 2
! error[E0819]: there is no pass `trnspose`
!  |
!  = help: did you mean `transpose`?
!

$ pullback dev tests/stages/cube.pull --without lower
exit 2
! error[E0819]: the pass `lower` cannot be left out
!  |
!  = note: without it there is no code
!  = help: stop after it by `--stop-after lower`
!

$ pullback dev tests/stages/cube.pull --stop-after lower --dump ad
exit 2
! error[E0813]: the stage `ad` comes after that pass
!  |
!  = note: `--stop-after` leaves out all that follows the stage `ir`
!  = help: leave out `--stop-after`, or name an earlier stage
!

$ pullback dev tests/stages/cube.pull main 2.0 --stop-after lower --count
exit 2
! error[E0819]: there is nothing to count before derivatives are made
!  |
!  = help: stop after `transpose` or a later pass, or leave out `--count`
!

$ pullback dev tests/stages/cube.pull square --dump unzip --stop-after transpose --verify
exit 0
> fn @`linearize square`.0(x.0: f64) -> f64, f64 {
>   t.1: f64 = mul(x.0, x.0)
>   yield t.1, x.0
> }
>
> fn @`push square`.1(x.2: f64, x_dot.3: f64) -> f64 {
>   d.4: f64 = mul(x_dot.3, x.2)
>   d.5: f64 = mul(x_dot.3, x.2)
>   d.6: f64 = add(d.4, d.5)
>   yield d.6
> }
>
> the rules hold after specialise, lower, jvp, unzip, transpose

$ pullback dev tests/stages/cube.pull main --dump opt
exit 0
> fn @main.0(x.0: f64) -> f64 {
>   t.1: bool = gt(x.0, 0.0)
>   t.2: f64 = mul(x.0, x.0)
>   t.3: f64 = mul(x.0, t.2)
>   t.4: f64 = neg(x.0)
>   t.5: f64 = select(t.1, t.3, t.4)
>   yield t.5
> }

$ pullback dev tests/stages/cube.pull main --dump opt --without inline,simplify
exit 0
> fn @main.0(x.0: f64) -> f64 {
>   t.1: bool = gt(x.0, 0.0)
>   t.2: f64 = if t.1 {
>     y.3: f64 = @square.1(x.0)
>     t.4: f64 = mul(x.0, y.3)
>     yield t.4
>   } else {
>     t.5: f64 = neg(x.0)
>     yield t.5
>   }
>   yield t.2
> }
>
> fn @square.1(x.6: f64) -> f64 {
>   t.7: f64 = mul(x.6, x.6)
>   yield t.7
> }

$ pullback dev tests/stages/cube.pull main 2.0 --count --stop-after transpose
exit 0
>             value  gradient
> operations      3        10
> weight          3        10
> bytes       19456     19456
> peak        19456     19456
> copied          0         0
> steps           0         2

$ pullback dev tests/cli/programs/loops.pull --dump loops
exit 0
> fn @rows.0
>   for i.5: one by one  # n.2 times
>     for j.7: lanes, 32 at once  # n.3 times; adds up total.8
> fn @filtered.1
>   for i.16: lanes  # n.13 times
>   for i.19: plain  # n.13 times; its states are not numbers, or its rows differ in size
>   for i.30: plain  # state.18 times; no kernel has `element.32: f64 = xs.14[element.31]`
>   for i.34: one by one  # state.18 times
>     for j.40: lanes, 32 at once  # state.18 times; adds up total.41
> fn @largest.2
>   for i.52: lanes, 32 at once  # n.48 times; greatest m.53
> fn @search.4
>   while: plain  # how often is not known
> fn @going_on.5
>   for i.76: lanes, 16 at once  # n.72 times; adds up state.77; adds up state.78
>     for j.82: one by one  # n.73 times

$ pullback dev tests/cli/programs/nothing.pull --dump loops
exit 0

$ pullback dev tests/cli/programs/nothing.pull --dump c
exit 0

$ pullback dev tests/cli/programs/loops.pull rows --dump loops --schedule tests/cli/programs/rows_in_lanes.txt
exit 0
> fn @rows.0
>   for i.5: lanes, 32 at once  # n.2 times
>     for j.7: one by one  # n.3 times

$ pullback dev tests/cli/programs/loops.pull rows --dump loops --schedule tests/cli/programs/rows_not_in_lanes.txt
exit 0
> fn @rows.0
>   for i.5: one by one  # n.2 times
>     for j.7: one by one  # n.3 times

$ pullback dev tests/cli/programs/loops.pull --dump loops --schedule tests/cli/programs/rows_jammed.txt
exit 0
> fn @rows.0
>   for i.5: one by one  # n.2 times
>     for j.7: lanes, 16 at once  # n.3 times; adds up total.8
> fn @filtered.1
>   for i.16: lanes  # n.13 times
>   for i.19: plain  # n.13 times; its states are not numbers, or its rows differ in size
>   for i.30: plain  # state.18 times; no kernel has `element.32: f64 = xs.14[element.31]`
>   for i.34: one by one  # state.18 times
>     for j.40: lanes, 32 at once  # state.18 times; adds up total.41
> fn @largest.2
>   for i.52: lanes  # n.48 times; greatest m.53
> fn @search.4
>   while: plain  # how often is not known
> fn @going_on.5
>   for i.76: lanes, 16 at once  # n.72 times; adds up state.77; adds up state.78
>     for j.82: one by one  # n.73 times

$ pullback dev tests/cli/programs/loops.pull --dump loops --schedule tests/cli/programs/rows_clauses.txt
exit 1
! error[E0824]: the schedule cannot be followed: `i.5` cannot go by `4 at once`
!  |
!  = note: `j.7` cannot go by `tiles`
!  = note: `j.7` cannot go by `copies rows of a.0`
!  = note: `i.16` cannot go by `64 at once`
!  = help: `--dump loops` prints how the loops go
!

$ pullback dev tests/cli/programs/loops.pull rows --dump loops --schedule tests/cli/programs/rows_unknown.txt
exit 1
! error[E0824]: the schedule cannot be read: `thrice` is not `N at once`, `tiles`, `no tiles`, `copies rows of ARRAY`, `copies columns of ARRAY`, `turns ARRAY` or `copies nothing`
!  --> tests/cli/programs/rows_unknown.txt:1:1
!   |
! 1 | for j.7: lanes, 32 at once, thrice
!   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in this line
!   |
!   = help: `--dump loops` prints what can be read here
!

$ pullback dev tests/cli/programs/loops.pull rows --dump loops --schedule tests/cli/programs/rows_twice.txt
exit 1
! error[E0824]: the schedule cannot be read: `16 at once` has been decided on before
!  --> tests/cli/programs/rows_twice.txt:1:1
!   |
! 1 | for j.7: lanes, 32 at once, 16 at once
!   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in this line
!   |
!   = help: `--dump loops` prints what can be read here
!

$ pullback dev tests/cli/programs/loops.pull --dump loops --without unroll_and_jam,horizontal_reduce
exit 0
> fn @rows.0
>   for i.5: lanes  # n.2 times
>     for j.7: one by one  # n.3 times
> fn @filtered.1
>   for i.16: lanes  # n.13 times
>   for i.19: plain  # n.13 times; its states are not numbers, or its rows differ in size
>   for i.30: plain  # state.18 times; no kernel has `element.32: f64 = xs.14[element.31]`
>   for i.34: one by one  # state.18 times
>     for j.40: one by one  # state.18 times
> fn @largest.2
>   for i.52: one by one  # n.48 times
> fn @search.4
>   while: plain  # how often is not known
> fn @going_on.5
>   for i.76: one by one  # n.72 times
>     for j.82: one by one  # n.73 times

$ pullback dev tests/cli/programs/loops.pull rows --without ownership
exit 2
! error[E0819]: the pass `ownership` cannot be left out
!  |
!  = note: without it there is no code
!  = help: `pullback show FILE --passes` says which can be
!

$ pullback dev tests/cli/programs/loops.pull rows --without vectorize
exit 2
! error[E0819]: there is no pass `vectorize`
!  |
!  = help: did you mean `vectorise`?
!

$ pullback dev tests/cli/programs/loops.pull rows --stop-after vectorise
exit 2
! error[E0819]: `vectorise` is no pass to stop after
!  |
!  = note: it is a transformation on the way to C, where there is no text between two of them
!  = help: see what it does with `--dump c` and `--dump c --without vectorise`
!

$ pullback dev tests/cli/programs/loops.pull --dump loops --schedule tests/cli/programs/rows_plain.txt
exit 1
! error[E0824]: the schedule cannot be followed: `j.7` is in the kernel of another loop, which is not plain
!  |
!  = note: `i.19` is in no kernel: its states are not numbers, or its rows differ in size
!  = help: `--dump loops` prints how the loops go
!

$ pullback dev tests/cli/programs/loops.pull --dump loops --schedule tests/cli/programs/rows_unread.txt
exit 1
! error[E0824]: the schedule cannot be read: no loop has this index
!  --> tests/cli/programs/rows_unread.txt:2:1
!   |
! 2 | for i.6: lanes
!   | ^^^^^^^^^^^^^^ in this line
!   |
!   = help: `--dump loops` prints what can be read here
!
