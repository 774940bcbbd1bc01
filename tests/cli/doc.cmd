$ pullback doc
exit 0
> The library. `pullback doc MODULE` and `pullback doc MODULE.NAME` tell more.
>
>   built-in       The operations that are built into the language, in scope everywhere.
>   prelude        The prelude: in scope everywhere without an import; a definition of your
>                  own with the same name takes precedence.
>   array          Matrices by rows and columns, and arrays in other shapes.
>   complex        Complex numbers as records of two Reals.
>   constrained    Minimising under constraints: bounds on each number, and quadratic
>                  programs.
>   dae            Differential equations with algebraic ones (of index 1): y' = f t y z and
>                  0 = g t y z, where the second can be solved for z; and systems M y' = f t
>                  y with a constant matrix M that may be singular.
>   distributions  Distributions as values: a log-density and a way to draw from it, with
>                  the same parameters.
>   implicit       Implicitly defined functions.
>   interpolate    Functions through given points.
>   krylov         Linear systems without a matrix, and implicit functions with them.
>   lie            Rotations and rigid motions: quaternions, the groups SO(3) and SE(3), and
>                  their tangents.
>   linalg         Dense linear algebra.
>   list           Linked lists: functions on the prelude's `List`.
>   math           Scalar mathematics beyond the built-in functions.
>   nn             Layers of neural networks, on batches: matrices with a row for each
>                  example, and images as `[batch][channels][height][width]`.
>   ode            Ordinary differential equations y' = f t y.
>   optim          Minimising a Real-valued function.
>   option         Values that may be missing: functions on the prelude's `Option`.
>   quadrature     Integrals of functions of one number, between limits that may be
>                  infinite.
>   random         Random numbers without state: a key determines everything drawn from it,
>                  so programs are pure and every run gives the same numbers.
>   root           Roots and fixed points.
>   rosenbrock     One step of a Rosenbrock method, for the stiff systems of "ode" and for
>                  the systems with algebraic equations of "dae".
>   sample         Samples from a density that is known up to a factor: Hamiltonian Monte
>                  Carlo and the No-U-Turn sampler.
>   sde            Stochastic differential equations dy = f t y dt + g t y dW, with noise
>                  that is drawn beforehand: from a key, so that a solution is a function of
>                  its parameters, and can be differentiated by them along the path
>                  (pathwise, or reparametrised, derivatives).
>   signal         Convolution, pooling and Fourier transforms.
>   sparse         Sparse matrices by compressed rows, sparse derivatives, and tridiagonal
>                  systems.
>   special        Special functions: inverses of the error functions, incomplete beta
>                  functions, inverses of incomplete gamma and beta functions, Bessel
>                  functions of real order, and zeta functions.
>   stats          Log-densities and summaries.
>   tree           Binary trees with a value at every inner node.

$ pullback doc tree
exit 0
> tree
>
> Binary trees with a value at every inner node.
>
>   import "tree" as tree
>
>   type Tree a = Empty | Node (Tree a) a (Tree a)
>       A binary tree.
>
>   leaf (x: a): Tree a
>       A tree of one value, without branches.
>
>   fold (node: b -> a -> b -> b) (empty: b) (t: Tree a): b
>       Combines a tree from below: `node` gets the left result, the value and the right
>       result, and `empty` is that of an empty tree.
>
>   map (f: a -> b) (t: Tree a): Tree b
>       Applies a function to every value.
>
>   count (t: Tree a): Int
>       How many values there are; 0 for the empty tree.
>
>   depth (t: Tree a): Int
>       The number of values on the longest way from the root; 0 for the empty tree.
>
>   total (t: Tree Real): Real
>       The sum of the values; 0 for the empty tree.
>
>   from_array (xs: []a): Tree a
>       The balanced tree whose values, from left to right, are the array's; the empty tree
>       for none.
>
>   to_array (t: Tree a): []a
>       The values from left to right; none for the empty tree.
>
>   insert (x: a) (t: Tree a): Tree a
>       Puts a value into an ordered tree, behind those that are equal to it.

$ pullback doc linalg.cholesky
exit 0
> linalg.cholesky
>
>   def cholesky [n] (a: [n][n]Real): [n][n]Real
>
> The lower triangular `l` with `l lᵀ = a` for a symmetric positive definite `a` (its lower
> half is read). An error where `a` is not positive definite; `try_cholesky` gives an
> Option.
>
> Examples, which are tests:
>
>   cholesky [[4.0, 2.0], [2.0, 5.0]] = [[2.0, 0.0], [1.0, 2.0]]
>   cholesky [[1.0, 2.0], [2.0, 1.0]] fails E0708

$ pullback doc linalg cholesky
exit 0
> linalg.cholesky
>
>   def cholesky [n] (a: [n][n]Real): [n][n]Real
>
> The lower triangular `l` with `l lᵀ = a` for a symmetric positive definite `a` (its lower
> half is read). An error where `a` is not positive definite; `try_cholesky` gives an
> Option.
>
> Examples, which are tests:
>
>   cholesky [[4.0, 2.0], [2.0, 5.0]] = [[2.0, 0.0], [1.0, 2.0]]
>   cholesky [[1.0, 2.0], [2.0, 1.0]] fails E0708

$ pullback doc cholesky
exit 0
> linalg.cholesky
>
>   def cholesky [n] (a: [n][n]Real): [n][n]Real
>
> The lower triangular `l` with `l lᵀ = a` for a symmetric positive definite `a` (its lower
> half is read). An error where `a` is not positive definite; `try_cholesky` gives an
> Option.
>
> Examples, which are tests:
>
>   cholesky [[4.0, 2.0], [2.0, 5.0]] = [[2.0, 0.0], [1.0, 2.0]]
>   cholesky [[1.0, 2.0], [2.0, 1.0]] fails E0708

$ pullback doc map
exit 0
> map, of the prelude
>
>   def map [n] (f: a -> b) (xs: [n]a): [n]b
>
> Applies a function to every element.
>
> Examples, which are tests:
>
>   map (\x -> x * x) [1, 2, 3] = [1, 4, 9]
>
> Also:
>
>   list.map (f: a -> b) (xs: List a): List b
>       Applies a function to every element.
>
>   option.map (f: a -> b) (o: Option a): Option b
>       Applies a function to the value, if there is one; else `None`.
>
>   tree.map (f: a -> b) (t: Tree a): Tree b
>       Applies a function to every value.

$ pullback doc normal
exit 0
>   distributions.normal (mean: Real) (deviation: Real): Distribution Real
>       Normal, by mean and standard deviation.
>
>   random.normal (n: Int) (k: Key): [n]Real
>       `n` standard normal numbers (Box and Muller's method).
>
>   stats.normal (mean: Real) (deviation: Real) (x: Real): Real
>       Normal, by mean and standard deviation.

$ pullback doc grad
exit 0
> grad, built in
>
>   grad : (a -> Real) -> a -> T a
>
> The gradient.

$ pullback doc round
exit 0
> round, built in
>
>   round : Real -> Real
>
> Nearest integer, ties away from zero; derivative 0.

$ pullback doc Some
exit 0
> Option, of the prelude
>
>   type Option a = None | Some a
>
> A value that may be missing.

$ pullback doc chole
exit 0
> Nothing is called `chole`; these are near it.
>
>   linalg.cholesky [n] (a: [n][n]Real): [n][n]Real
>       The lower triangular `l` with `l lᵀ = a` for a symmetric positive definite `a` (its
>       lower half is read).
>
>   linalg.cholesky_solve [n] (a: [n][n]Real) (b: [n]Real): [n]Real
>       Solves `a x = b` for a symmetric positive definite `a`; an error for any other.
>
>   sparse.cholesky_solve (a: Csr) (b: []Real): []Real
>       Solves `a x = b` for a symmetric positive definite matrix, by a sparse Cholesky
>       factorisation.
>
>   sparse.cholesky_solve_rows (a: Csr) (bs: [][]Real): [][]Real
>       `cholesky_solve` for every row of `bs`, by one factorisation, with the same errors.
>
>   linalg.try_cholesky [n] (a: [n][n]Real): Option [n][n]Real
>       `cholesky`, or None where `a` is not positive definite or not finite.

$ pullback doc choleski
exit 2
! error[E0809]: neither a module of the library nor a definition is called `choleski`
!  |
!  = help: did you mean `cholesky`?
!

$ pullback doc linalg.choleski
exit 2
! error[E0809]: `linalg` has no documented definition `choleski`
!  |
!  = help: did you mean `cholesky`?
!

$ pullback doc linalgg.cholesky
exit 2
! error[E0809]: the library has no module `linalgg`
!  |
!  = help: did you mean `linalg`?
!

$ pullback doc inv
exit 0
> Nothing is called `inv`; these are near it.
>
>   linalg.inverse [n] (a: [n][n]Real): [n][n]Real
>       The inverse of a square matrix.
>
>   linalg.solve [n] (a: [n][n]Real) (b: [n]Real): [n]Real
>       Solves `a x = b` for a square matrix.
>
>   lie.inverse (q: Quaternion): Quaternion
>       The inverse, of a quaternion of any length.
>
>   distributions.inverse_gamma (shape: Real) (scale: Real): Distribution Real
>       Inverse gamma, by shape and scale: `1 / x` is gamma.
>
>   stats.inverse_gamma (shape: Real) (scale: Real) (x: Real): Real
>       Inverse gamma, by shape and scale: `1 / x` is gamma.
>
>   linalg.try_inverse [n] (a: [n][n]Real): Option [n][n]Real
>       `inverse`, or None where `a` is singular or not finite.
>
>   lie.so3_jacobian_inverse (w: [3]Real): [3][3]Real
>       The inverse of `so3_jacobian`.
>
>   lie.se3_jacobian_inverse (x: Twist) (d: Twist): Twist
>       The inverse of `se3_jacobian x`, times a twist.

$ pullback doc len
exit 0
> Nothing is called `len`; these are near it.
>
>   built-in.size : [n]a -> Int
>       How many elements.
>
>   list.length (xs: List a): Int
>       How many elements there are.

$ pullback doc 'square root'
exit 0
> Nothing is called `square root`; these are near it.
>
>   built-in.sqrt : Real -> Real
>       Square root; derivative +inf at 0; NaN below.
>
>   complex.csqrt (z: Complex): Complex
>       The square root with a real part that is not negative; NaN where a part is.
>
>   linalg.sqrtm [n] (a: [n][n]Real): [n][n]Real
>       The square root of a square matrix: the matrix `x` with `x @ x = a` whose
>       eigenvalues have no negative real part.
>
>   nn.rms_norm [batch] [n] (epsilon: Real) (gain: [n]Real) (xs: [batch][n]Real):
>       [batch][n]Real
>       Each row over the root of the mean of its squares and `epsilon`, times the gain; NaN
>       for a row of zeros where `epsilon` is 0.
>
>   linalg.frobenius (a: [][]Real): Real
>       The square root of the sum of all squares, which neither overflows nor underflows on
>       the way; 0 for no elements.
>
>   optim.rmsprop_stepper (rate: Int -> Real) (keep: Real): Stepper v (Moments v)
>       RMSprop: the gradient over the root of a running mean of its square, which keeps the
>       share `keep` of itself each step (usually 0.9).
>
>   stats.standard_deviation [n] (xs: [n]Real): Real
>       The square root of `sample_variance`: NaN for one number, an error for none.
>
>   nn.layer_norm [batch] [n] (epsilon: Real) (l: Norm [n]) (xs: [batch][n]Real):
>       [batch][n]Real
>       Each row less its mean, over the root of its variance and `epsilon` (usually 1e-5),
>       times the gain, plus the bias.

$ pullback doc matrix inverse
exit 0
> Nothing is called `matrix inverse`; these are near it.
>
>   linalg.inverse [n] (a: [n][n]Real): [n][n]Real
>       The inverse of a square matrix.
>
>   lie.vee (a: [3][3]Real): [3]Real
>       The vector of an antisymmetric matrix: the inverse of `hat`.
>
>   linalg.svd [n] [m] (a: [n][m]Real): ([n][min n m]Real, [min n m]Real, [m][min n m]Real)
>       The singular value decomposition `a = u diag(s) vᵀ` of an [n][m] matrix, with k =
>       min n m: `u` ([n][k]) and `v` ([m][k]) have orthonormal columns, and `s` ([k]) is
>       descending.

$ pullback doc eigenv
exit 0
> Nothing is called `eigenv`; this is near it.
>
> linalg.eigenvalues
>
>   def eigenvalues [n] (a: [n][n]Real): [n]Real
>
> The eigenvalues of a symmetric matrix, ascending and NaN last, which there is if an
> element is NaN (its lower half is read). At equal eigenvalues the first derivative is
> right for every function that takes them all alike; for second derivatives see
> `spectral_sum`.
>
> Examples, which are tests:
>
>   eigenvalues [[2.0, 0.0], [0.0, 1.0]] = [1.0, 2.0]
>   grad (\a -> sum (eigenvalues a)) [[2.0, 0.0], [0.0, 2.0]] = [[1.0, 0.0], [0.0, 1.0]]

$ pullback doc xyzzy
exit 2
! error[E0809]: neither a module of the library nor a definition is called `xyzzy`
!  |
!  = help: `pullback doc` lists the modules; a file's name ends in `.pull`
!

$ pullback doc examples/newton.pull
exit 0
> newton
>
> Newton's method, by nested derivatives.
>
> What it teaches: a function that takes derivatives of its argument can itself be
> differentiated; `hessian` and `hvp` in several dimensions; a `while` loop inside a
> derivative.
>
>   root (f: Real -> Real) (start: Real): Real
>       A zero of `f` near `x`: steps of Newton's method until they are tiny.
>
>   stationary (f: Real -> Real) (start: Real): Real
>       A stationary point of `f` near `x`: a zero of its derivative, by two nested
>       derivatives.
>
>   square_root (a: Real): Real
>       The square root as the zero of x² - a, with derivative 1 / (2 √a).
>
>   f (x: Real): Real
>       A cubic whose zeros Newton's method looks for; `pullback plot examples/newton.pull f
>       --from -2 --to 2` draws it with its derivative.
>
>   newton_step (f: [2]Real -> Real) (x: [2]Real): [2]Real
>       One Newton step for a function of two variables, by solving with its two by two
>       Hessian.
>
>   rosenbrock (x: [2]Real): Real
>       Rosenbrock's valley: its minimum is at (1, 1).
>
>   main: [2]Real

$ pullback doc tests/cli/programs/undocumented.pull
exit 0
> undocumented
>
> A file as one has it in the beginning.
>
>   twice: (a -> a) -> a -> a
>
>   add (x: Real) (y: Real): Real

$ pullback doc tests/cli/programs/undocumented.pull twice
exit 0
> undocumented.twice
>
>   def twice: (a -> a) -> a -> a
>
> Examples, which are tests:
>
>   twice (\x -> x + 1) 3 = 5
>   twice (add 0.5) 1.0 = 2.0

$ pullback doc tests/cli/programs/undocumented.pull thrice
exit 2
! error[E0809]: `undocumented` has no documented definition `thrice`
!  |
!  = help: did you mean `twice`?
!

$ pullback doc tests/cli/programs/missing.pull
exit 2
! error[E0801]: cannot read `tests/cli/programs/missing.pull`: no such file or directory
!  |
!  = help: check the path and its permissions
!

$ pullback doc --html tests/cli/doc.cmd
exit 2
! error[E0801]: cannot write `tests/cli/doc.cmd`: File exists (os error 17)
!  |
!  = help: choose another folder
!
