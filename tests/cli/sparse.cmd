$ pullback jacobian tests/cli/programs/sparse.pull chain '[1.0, 2.0, 3.0, 4.0]' --sparse
exit 0
> 4 rows, 4 columns, 7 entries
> 2 sweeps, forward
> the pattern holds for all Reals
> row i: i - 1 where i >= 1; i
> row  column  value
>   0       0  1.0
>   1       0  2.0
>   1       1  1.0
>   2       1  3.0
>   2       2  2.0
>   3       2  4.0
>   3       3  3.0

$ pullback jacobian tests/cli/programs/sparse.pull chain '[1.0, 2.0, 3.0]'
exit 0
> [[1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 3.0, 2.0]]

$ pullback jacobian tests/cli/programs/sparse.pull chain '[1.0, 2.0, 3.0]' --sparse --json
exit 0
> {"rows": 3, "columns": 3, "sweeps": {"forward": 2, "reverse": 0}, "everywhere": true, "parameters": {"x": [0, 3]}, "row": [0, 1, 1, 2, 2], "column": [0, 0, 1, 1, 2], "value": [1.0, 2.0, 1.0, 3.0, 2.0]}

$ pullback jacobian tests/cli/programs/sparse.pull frame '[1.0, 2.0, 3.0]' --sparse --precision 3
exit 0
> 3 rows, 3 columns, 5 entries
> 2 sweeps: 1 forward, 1 in reverse
> the pattern holds for all Reals
> row i: j for 0 <= j <= 2, i <= 0; 0 where i >= 1
> row  column  value
>   0       0  2.72
>   0       1  7.39
>   0       2  20.1
>   1       0  1.0
>   2       0  1.0

$ pullback jacobian tests/cli/programs/sparse.pull sorted '[3.0, 1.0, 2.0]' --sparse --engine ir
exit 0
> 3 rows, 3 columns, 3 entries
> 1 sweep, forward
> the pattern is that of this point: Reals decide what is computed
> row  column  value
>   0       1  1.0
>   1       2  1.0
>   2       0  1.0

$ pullback jacobian tests/cli/programs/sparse.pull sorted '[ real (-i) | i < 60 ]' --sparse
exit 0
> 60 rows, 60 columns, 60 entries
> 1 sweep, forward
> the pattern is that of this point: Reals decide what is computed
> row  column  value
>   0      59  1.0
>   1      58  1.0
>   2      57  1.0
>   3      56  1.0
>   4      55  1.0
>   5      54  1.0
>   6      53  1.0
>   7      52  1.0
>   8      51  1.0
>   9      50  1.0
>  10      49  1.0
>  11      48  1.0
>  12      47  1.0
>  13      46  1.0
>  14      45  1.0
>  15      44  1.0
>  16      43  1.0
>  17      42  1.0
>  18      41  1.0
>  19      40  1.0
>  20      39  1.0
>  21      38  1.0
>  22      37  1.0
>  23      36  1.0
>  24      35  1.0
>  25      34  1.0
>  26      33  1.0
>  27      32  1.0
>  28      31  1.0
>  29      30  1.0
>  30      29  1.0
>  31      28  1.0
>  32      27  1.0
>  33      26  1.0
>  34      25  1.0
>  35      24  1.0
>  36      23  1.0
>  37      22  1.0
>  38      21  1.0
>  39      20  1.0
>  40      19  1.0
>  41      18  1.0
>  42      17  1.0
>  43      16  1.0
>  44      15  1.0
>  45      14  1.0
>  46      13  1.0
>  47      12  1.0
>  48      11  1.0
>  49      10  1.0
> … 10 more: --full shows them

$ pullback jacobian tests/cli/programs/sparse.pull fails '[1.0]' --sparse
exit 1
! error[E0701]: index 1 is out of range for an array of size 1
!   --> tests/cli/programs/sparse.pull:12:38
!    |
! 12 | def fails [n] (x: [n]Real): Real = x[n]
!    |                                      ^ this index is 1
!    |
!    = note: the indices of this array are 0 to 0
!    = help: test the index against `size` before using it
!

$ pullback jacobian tests/cli/programs/sparse.pull chain '[1.0]' --sparse --wrt y
exit 2
! error[E0811]: `chain` has no parameter `y`
!  --> tests/cli/programs/sparse.pull:1:5
!   |
! 1 | def chain [n] (x: [n]Real): [n]Real =
!   |     ^^^^^ defined here
!   |
!   = help: there are the differentiable parameters `x`
!

$ pullback jacobian tests/cli/programs/sparse.pull chain '[1.0]' --sparse --output target/no.csv
exit 1
! error[E0826]: the output file has no place for a sparse matrix
!  --> tests/cli/programs/sparse.pull:1:5
!   |
! 1 | def chain [n] (x: [n]Real): [n]Real =
!   |     ^^^^^ this is asked for
!   |
!   = help: write a file that ends in `.npz`, which SciPy's `load_npz` reads, or in `.json`
!

$ pullback hessian tests/cli/programs/sparse.pull energy '[1.0, 2.0, 4.0]' 0.5 --sparse
exit 0
> 4 rows, 4 columns, 13 entries
> 3 sweeps, forward
> the pattern holds for all Reals
> columns: x 0 to 2, k 3
> row  column  value
>   0       0  1.0
>   0       1  -1.0
>   0       3  -2.0
>   1       0  -1.0
>   1       1  2.0
>   1       2  -1.0
>   1       3  -2.0
>   2       1  -1.0
>   2       2  1.0
>   2       3  4.0
>   3       0  -2.0
>   3       1  -2.0
>   3       2  4.0

$ pullback hessian tests/cli/programs/sparse.pull energy '[1.0, 2.0, 4.0]' 0.5 --sparse --wrt x --json
exit 0
> {"rows": 3, "columns": 3, "sweeps": {"forward": 2, "reverse": 0}, "everywhere": true, "parameters": {"x": [0, 3]}, "row": [0, 0, 1, 1, 1, 2, 2], "column": [0, 1, 0, 1, 2, 1, 2], "value": [1.0, -1.0, -1.0, 2.0, -1.0, -1.0, 1.0]}

$ pullback hessian tests/cli/programs/sparse.pull energy '[1.0, 2.0, 4.0]' 0.5 --wrt x
exit 0
> [[1.0, -1.0, -0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]

$ pullback hessian tests/cli/programs/sparse.pull chain '[1.0]' --sparse
exit 1
! error[E0810]: `chain` gives `[_]Real`, not a Real
!  --> tests/cli/programs/sparse.pull:1:5
!   |
! 1 | def chain [n] (x: [n]Real): [n]Real =
!   |     ^^^^^ defined here
!   |
!   = note: a gradient is the derivative of one Real; other results have a Jacobian
!   = help: use `pullback vjp` or `pullback jvp`, or `jacobian` in the program
!
