$ pullback run tests/cli/programs/led_there.pull outer '[1, 2]'
exit 1
! error[E0701]: index 7 is out of range for an array of size 2
!  --> tests/cli/programs/led_there.pull:2:44
!   |
! 2 | def inner (xs: []Real) (i: Int): Real = xs[i] + 1.0
!   |                                            ^ this index is 7
! 3 | def middle (xs: []Real): Real = 1.0 + inner xs 7
!   |                                       ---------- called here
! 4 | def outer (xs: []Real): Real = 2.0 * middle xs
!   |                                      --------- called here
!   |
!   = note: the indices of this array are 0 to 1
!   = help: test the index against `size` before using it
!

$ pullback grad tests/cli/programs/led_there.pull outer '[1, 2]'
exit 1
! error[E0701]: index 7 is out of range for an array of size 2
!  --> tests/cli/programs/led_there.pull:2:44
!   |
! 2 | def inner (xs: []Real) (i: Int): Real = xs[i] + 1.0
!   |                                            ^ this index is 7
! 3 | def middle (xs: []Real): Real = 1.0 + inner xs 7
!   |                                       ---------- called here
! 4 | def outer (xs: []Real): Real = 2.0 * middle xs
!   |                                      --------- called here
!   |
!   = note: the indices of this array are 0 to 1
!   = help: test the index against `size` before using it
!

$ pullback run tests/cli/programs/led_there.pull search 3
exit 1
! error[E0705]: division by zero in 1 / 0
!  --> tests/cli/programs/led_there.pull:5:45
!   |
! 5 | def search (n: Int): Int = if n == 0 then 1 / n else 1 + search (n - 1)
!   |                                             ^            -------------- called here
!   |                                             |
!   |                                             the divisor is 0
!   |
!   = note: `/` and `%` on Int have no result for the divisor 0
!   = help: test the divisor first, or divide Reals, which gives inf or NaN
!

$ pullback run tests/cli/programs/led_there.pull mapped '[1, 5]'
exit 1
! error[E0701]: index 5 is out of range for an array of size 2
!  --> tests/cli/programs/led_there.pull:2:44
!   |
! 2 | def inner (xs: []Real) (i: Int): Real = xs[i] + 1.0
!   |                                            ^ this index is 5
! ...
! 6 | def mapped (xs: []Real): []Real = map (\x -> inner xs (int x)) xs
!   |                                   ------------------------------- called here
!   |
!   = note: the indices of this array are 0 to 1
!   = help: test the index against `size` before using it
!

$ pullback run tests/cli/programs/led_there.pull outer '{"xs": [1, 2]}'
exit 1
! error[E0131]: this is JSON, not a record
!  --> <argument 1>:1:2
!   |
! 1 | {"xs": [1, 2]}
!   |  ^^^^ names of fields have no quotes
!   |
!   = note: a record's fields are written with `=`
!   = help: write `{ xs = … }`; a file with JSON is read with `--input FILE.json`
!
