(** * What the primitives of the table mean over the real numbers

    [Table] is generated from the compiler and has no meaning of its own. Here each primitive of reals gets its value,
    terms get theirs, and domains become propositions. All of it is written by hand, so this is the page to check.

    Real numbers have no NaN and no infinities. Where a primitive has no number as its value, its value here is some
    number of no importance (0), and no domain contains such a point. [Nan] in a term is 0 too; a partial derivative
    inside a domain never gets there. The logarithm of the gamma function and its derivatives are parameters, since no
    library that is used here has the gamma function. *)
From Coq Require Import Reals ZArith List Psatz.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table ErrorFunction.
Import ListNotations.
Open Scope R_scope.

Definition floor (x : R) : R := IZR (Int_part x).
Definition sign (x : R) : R := if Rlt_dec 0 x then 1 else if Rlt_dec x 0 then -1 else 0.
Definition round (x : R) : R := sign x * floor (Rabs x + 1 / 2).
Definition cbrt (x : R) : R := sign x * exp (ln (Rabs x) / 3).
Definition sigmoid (x : R) : R := / (1 + exp (- x)).
Definition hypot (x y : R) : R := sqrt (x * x + y * y).

(** [x % y] has the sign of [y]; there is none for [y = 0]. *)
Definition rem (x y : R) : R := if Req_EM_T y 0 then 0 else x - y * floor (x / y).

(** An integer power; [n] comes as the real number that it is. *)
Definition pow_int (x n : R) : R := powerRZ x (Int_part n).
Definition pow_slope (x n : R) : R := n * powerRZ x (Int_part n - 1).

(** A negative base has a power only for integers. *)
Definition pow (x y : R) : R :=
  if Rlt_dec 0 x then exp (y * ln x)
  else if Req_EM_T y 0 then 1
  else if Req_EM_T x 0 then 0
  else if Req_EM_T y (floor y) then powerRZ x (Int_part y) else 0.

(** The angle of the point with abscissa [x] and ordinate [y], which comes first. *)
Definition atan2 (y x : R) : R :=
  if Rlt_dec 0 x then atan (y / x)
  else if Rlt_dec 0 y then PI / 2 - atan (x / y)
  else if Rlt_dec y 0 then - (PI / 2) - atan (x / y)
  else if Rlt_dec x 0 then PI else 0.

Section Gamma.
Variable lgamma : R -> R.
Variable polygamma : R -> R -> R.

Definition value1 (p : prim) (x : R) : R := match p with
  | Neg => - x
  | Abs => Rabs x
  | Signum => sign x
  | Floor => floor x
  | Ceil => - floor (- x)
  | Round => round x
  | Sqrt => sqrt x
  | Cbrt => cbrt x
  | Exp => exp x
  | Expm1 => exp x - 1
  | Log => ln x
  | Log1p => ln (1 + x)
  | Sin => sin x
  | Cos => cos x
  | Tan => tan x
  | Asin => asin x
  | Acos => acos x
  | Atan => atan x
  | Sinh => sinh x
  | Cosh => cosh x
  | Tanh => tanh x
  | Sech2 => / (cosh x * cosh x)
  | Asinh => arcsinh x
  | Acosh => ln (x + sqrt (x * x - 1))
  | Atanh => ln ((1 + x) / (1 - x)) / 2
  | Erf => erf x
  | Erfc => 1 - erf x
  | Lgamma => lgamma x
  | Digamma => polygamma 0 x
  | Sigmoid => sigmoid x
  | Softplus => ln (1 + exp x)
  | ToReal => x
  | _ => 0
  end.

(** A comparison is 1 where it holds and 0 where it does not. *)
Definition truth {P Q : Prop} (d : {P} + {Q}) : R := if d then 1 else 0.

Definition value2 (p : prim) (x y : R) : R := match p with
  | Add | IntAdd => x + y
  | Sub | IntSub => x - y
  | Mul | IntMul => x * y
  | Div => x / y
  | Rem => rem x y
  | Pow => pow x y
  | Max => Rmax x y
  | Min => Rmin x y
  | Atan2 => atan2 x y
  | Hypot => hypot x y
  | Xlogy => x * ln y
  | PowInt => pow_int x y
  | PowSlope => pow_slope x y
  | Polygamma => polygamma x y
  | Eq | IntEq => truth (Req_EM_T x y)
  | Lt | IntLt => truth (Rlt_dec x y)
  | Le | IntLe => truth (Rle_dec x y)
  | Gt | IntGt => truth (Rgt_dec x y)
  | Ge | IntGe => truth (Rge_dec x y)
  | _ => 0
  end.

Fixpoint number_value (n : number) : R := match n with
  | Ratio n d => IZR n / IZR d
  | TwoOverSqrtPi => 2 / sqrt PI
  | Third => 1 / 3
  | Minus n => - number_value n
  end.

(** The value of a term, at the arguments [x] and [y] and the result [r]. *)
Fixpoint term_value (x y r : R) (t : term) : R := match t with
  | Arg O => x
  | Arg _ => y
  | Result => r
  | Real n => number_value n
  | Int n => IZR n
  | Zero | Nan => 0
  | Prim1 p t => value1 p (term_value x y r t)
  | Prim2 p t u => value2 p (term_value x y r t) (term_value x y r u)
  | If c t u => if Req_EM_T (term_value x y r c) 1 then term_value x y r t else term_value x y r u
  end.

Definition compares (p : prim) (x y : R) : Prop := match p with
  | Eq => x = y
  | Ne => x <> y
  | Lt => x < y
  | Le => x <= y
  | Gt => x > y
  | Ge => x >= y
  | _ => False
  end.

(** Whether the arguments are in a domain, for the derivative by the first or by the second. *)
Fixpoint inside (by_first : bool) (x y : R) (d : domain) : Prop := match d with
  | Everywhere => True
  | Is p t u => compares p (term_value x y 0 t) (term_value x y 0 u)
  | All d e => inside by_first x y d /\ inside by_first x y e
  | Any d e => inside by_first x y d \/ inside by_first x y e
  end.
End Gamma.
