$ pullback dev tests/cli/programs/einsum.pull chain 8 --count
exit 0
>             value
> operations   2119
> weight       2119
> bytes       28416
> peak        20800
> copied          0
> steps         136

$ pullback dev tests/cli/programs/einsum.pull chain 16 --count
exit 0
>             value
> operations  17151
> weight      17151
> bytes       47360
> peak        22400
> copied          0
> steps         544

$ pullback dev tests/cli/programs/einsum.pull at_once 8 --count
exit 0
>             value
> operations  12872
> weight      12872
> bytes       22656
> peak        20096
> copied          0
> steps         584

$ pullback dev tests/cli/programs/einsum.pull at_once 16 --count
exit 0
>              value
> operations  201472
> weight      201472
> bytes        29824
> peak         20224
> copied           0
> steps         4384

$ pullback doc einsum
exit 0
> einsum, built in
>
>   einsum : String -> [i][j]Real -> [j][k]Real -> [i][k]Real
>
> A sum of products by index, here with the literal text "ij,jk->ik": `einsum "ij,j->i" [[1,
> 2], [3, 4]] [1, 10]` is `[21, 43]`. A letter is a dimension, of one size wherever it
> stands. The result has the letters behind `->`, and the others are summed. A malformed
> text is E0321, one that is no literal E0322; sizes that disagree are E0401, or E0703 at
> run time.
