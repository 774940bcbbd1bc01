$ pullback run tests/cli/programs/limits.pull recursion --max-memory 20M
exit 1
! error[E0710]: `forever` recurses too deeply: 131072 calls are under way
!  --> tests/cli/programs/limits.pull:4:33
!   |
! 4 | def forever (n: Int): Int = 1 + forever (n + 1)
!   |                                 ^^^^^^^^^^^^^^^ this call needs more memory than allowed
!   |
!   = note: the limit is 20 MiB; a recursion that never ends always meets it
!   = help: check that `forever` reaches its base case, or raise the limit with `--max-memory`
!

$ pullback run tests/cli/programs/limits.pull mutual --max-memory 20M
exit 1
! error[E0710]: `pong` recurses too deeply: 131072 calls are under way
!  --> tests/cli/programs/limits.pull:8:30
!   |
! 7 | def ping (n: Int): Int = 1 + pong n
!   |                              ------ called here
! 8 | def pong (n: Int): Int = 1 + ping n
!   |                              ^^^^^^ this call needs more memory than allowed
!   |
!   = note: the limit is 20 MiB; a recursion that never ends always meets it
!   = help: check that `pong` reaches its base case, or raise the limit with `--max-memory`
!

$ pullback run tests/cli/programs/limits.pull doubling --max-memory 20M
exit 1
! error[E0709]: not enough memory: this needs 16 MiB
!   --> tests/cli/programs/limits.pull:10:66
!    |
! 10 | def doubling: Int = size (loop xs: []Real = [1.0] for i < 200 do concat xs xs)
!    |                                                                  ^^^^^^^^^^^^ this is too large
!    |
!    = note: the limit is 20 MiB, and 8209 KiB are in use
!    = help: make it smaller, or raise the limit with `--max-memory`
!

$ pullback run tests/cli/programs/limits.pull taped --max-memory 20M
exit 1
! error[E0709]: not enough memory
!   --> tests/cli/programs/limits.pull:13:64
!    |
! 13 | def taped: Real = grad (\x -> loop y = x for i < 1000000000 do sin y) 1.0
!    |                                                                ^^^^^ memory ran out while evaluating this
!    |
!    = note: the limit is 20 MiB
!    = help: make the data smaller, or raise the limit with `--max-memory`
!

$ pullback run tests/cli/programs/limits.pull small 3 --max-memory 1
exit 1
! error[E0709]: not enough memory
!  |
!  = note: the limit is 1 byte
!  = help: make the data smaller, or raise the limit with `--max-memory`
!

$ pullback run tests/cli/programs/limits.pull small 3 --max-memory 100
exit 1
! error[E0709]: not enough memory
!  |
!  = note: the limit is 100 bytes
!  = help: make the data smaller, or raise the limit with `--max-memory`
!

$ pullback run tests/cli/programs/limits.pull small 3 --max-memory 200
exit 1
! error[E0709]: not enough memory
!  |
!  = note: the limit is 200 bytes
!  = help: make the data smaller, or raise the limit with `--max-memory`
!

$ pullback run tests/cli/programs/limits.pull small 3 --max-memory 10K
exit 0
> 3.0

$ pullback run tests/cli/programs/copies.pull
exit 1
! error[E0503]: `f8` is needed at too many different types
!   --> tests/cli/programs/copies.pull:12:14
!    |
! 12 |   let f9 x = f8 (x, 1) + f8 (x, true) in
!    |              ^^ the limit was reached here
!    |
!    = note: a function becomes code of its own for every type it is used at; there may be 20000 such copies, and their types may not be huge
!    = help: give the functions that call each other fixed types instead of type variables
!

$ pullback test tests/cli/programs/squares.pull --engine native --steps 5
exit 2
> tests/cli/programs/squares.pull: not tested
> 0 passed, 1 failed
! error[E0812]: the engine `native` counts no steps
!  |
!  = note: `--steps` limits engines that transform programs or evaluate code
!  = help: limit its time by `--timeout`, or choose `--engine ir`
!
