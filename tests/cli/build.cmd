$ pullback build tests/embed/library.pull applied -o /tmp/unused
exit 1
! error[E0822]: `applied` cannot be called from C: it has a function in what it takes or gives
!   --> tests/embed/library.pull:41:5
!    |
! 41 | def applied (f: Real -> Real) (x: Real): Real = f x
!    |     ^^^^^^^ defined here
!    |
!    = note: C gives and takes numbers, truth values, Strings, arrays of them, and tuples, records and sums of these
!    = help: add a definition with parameters and a result of such types that calls it
!

$ pullback build tests/embed/library.pull total --abi casadi -o /tmp/unused
exit 1
! error[E0822]: `total` cannot be called from CasADi: it has a value of a sum type
!  --> tests/embed/library.pull:8:5
!   |
! 8 | def total (t: Tree): Real =
!   |     ^^^^^ defined here
!   |
!   = note: CasADi gives and takes numbers, truth values, arrays of them, and tuples and records of these
!   = help: add a definition with parameters and a result of such types that calls it
!

$ pullback build tests/embed/library.pull element --wrt y -o /tmp/unused
exit 2
! error[E0811]: no definition of the library has a parameter `y` with Reals
!  |
!  = help: name parameters of the definitions, or leave out `--wrt`
!

$ pullback build tests/embed/library.pull parts --derivatives vjp,grad -o /tmp/unused
exit 1
! error[E0822]: no definition of the library has the derivative `grad`
!  |
!  = note: definitions with Reals in what they take have `jvp` and `vjp`; those that give a Real have `grad` and `hvp` too
!  = help: name other derivatives, or leave out `--derivatives`
!

$ pullback build tests/embed/matrices.pull scaled --abi casadi --size n=3,m=2 --derivatives vjp -o /tmp/unused
exit 1
! error[E0822]: a library for CasADi has all derivatives
!  |
!  = help: leave out `--derivatives`
!

$ pullback build tests/embed/library.pull element --derivatives gradient -o /tmp/unused
exit 2
! error: invalid value 'gradient' for '--derivatives <WHICH,…>'
!   [possible values: jvp, vjp, grad, hvp, none]
!
!   tip: a similar value exists: 'grad'
!
! For more information, try '--help'.

$ pullback build tests/embed/library.pull elemnt -o /tmp/unused
exit 2
! error[E0809]: there is no definition `elemnt`
!  |
!  = help: did you mean `element`?
!

$ pullback build tests/embed/library.pull element -o tests/embed/library.pull
exit 2
! error[E0801]: cannot write `tests/embed/library.pull`: File exists (os error 17)
!  |
!  = help: choose another folder
!

$ pullback build tests/embed/matrices.pull scaled --abi casadi --size n=3 -o /tmp/unused
exit 1
! error[E0822]: `scaled` cannot be called from CasADi: the size `m` is not known
!  --> tests/embed/matrices.pull:3:5
!   |
! 3 | def scaled [n] [m] (a: [n][m]Real) (s: Real): [m][n]Real =
!   |     ^^^^^^ defined here
!   |
!   = note: CasADi gives and takes numbers, vectors and matrices whose sizes are known when the library is made
!   = help: give the sizes in the type, as in `[3]Real`, or name them: `--size n=3` for `[n]Real`
!

$ pullback build tests/embed/matrices.pull scaled --abi casadi --size n=3,m=2,k=1 -o /tmp/unused
exit 1
! error[E0822]: no definition of the library needs a size `k`
!  |
!  = note: sizes are given for `--abi casadi`, by the names that types have, as in `[n]Real`
!  = help: leave out `--size`, or name sizes of the definitions
!

$ pullback build tests/embed/matrices.pull deep --abi casadi --size n=3 -o /tmp/unused
exit 1
! error[E0822]: `deep` cannot be called from CasADi: it has an array of more than two dimensions
!   --> tests/embed/matrices.pull:20:5
!    |
! 20 | def deep [n] (x: [n][n][n]Real): Real = x[0][0][0]
!    |     ^^^^ defined here
!    |
!    = note: CasADi gives and takes numbers, vectors and matrices whose sizes are known when the library is made
!    = help: give the sizes in the type, as in `[3]Real`, or name them: `--size n=3` for `[n]Real`
!

$ pullback build tests/embed/matrices.pull open_end --abi casadi -o /tmp/unused
exit 1
! error[E0822]: `open_end` cannot be called from CasADi: it has an array of some size that is not named
!   --> tests/embed/matrices.pull:18:5
!    |
! 18 | def open_end (x: [3]Real): []Real = filter (\e -> e > 0.0) x
!    |     ^^^^^^^^ defined here
!    |
!    = note: CasADi gives and takes numbers, vectors and matrices whose sizes are known when the library is made
!    = help: give the sizes in the type, as in `[3]Real`, or name them: `--size n=3` for `[n]Real`
!

$ pullback build tests/embed/matrices.pull scaled --size n=3 -o /tmp/unused
exit 1
! error[E0822]: no definition of the library needs a size `n`
!  |
!  = note: sizes are given for `--abi casadi`, by the names that types have, as in `[n]Real`
!  = help: leave out `--size`, or name sizes of the definitions
!
