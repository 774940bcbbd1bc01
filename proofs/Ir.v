(** * The operations of the array IR, over the real numbers

    Modelled: the linear operations of crates/ir/src/program.rs, and what they need of sizes and indices. A Real is a
    real number and an Int that counts or indexes is a natural number. An array is the function from indices to
    elements; only the indices below its size matter, and the statements about arrays say so. The names are those of
    the printed IR; a number at the end is that of indices or dimensions.

    An accumulator is a value too: what adds to it gives the new value. *)
From Coq Require Import Reals List Arith Bool.
Import ListNotations.
Open Scope R_scope.

(** ** Scalars *)
Definition copy {A} (x : A) := x.
Definition neg (x : R) := - x.
Definition add (x y : R) := x + y.
Definition sub (x y : R) := x - y.
Definition mul (x y : R) := x * y.

(** A strong product: zero where the (co)tangent, which comes first, is zero. *)
Definition mul_zero (x p : R) : R := if Req_EM_T x 0 then 0 else x * p.

Definition select {A} (c : bool) (x y : A) : A := if c then x else y.
Definition real (n : nat) : R := INR n.
Definition int_add (n m : nat) : nat := n + m.
Definition int_sub (n m : nat) : nat := n - m.
Definition int_mul (n m : nat) : nat := n * m.
Definition int_eq (n m : nat) : bool := Nat.eqb n m.

(** ** Arrays *)
Definition zero1 : nat -> R := fun _ => 0.
Definition zero2 : nat -> nat -> R := fun _ _ => 0.
Definition plus1 (a b : nat -> R) : nat -> R := fun i => a i + b i.
Definition plus2 (a b : nat -> nat -> R) : nat -> nat -> R := fun i j => a i j + b i j.
Definition array0 (items : list R) : nat -> R := fun i => nth i items 0.
Definition sized {A} (a : A) := a.
Definition index1 {A} (a : nat -> A) (i : nat) : A := a i.
Definition index2 {A} (a : nat -> nat -> A) (i j : nat) : A := a i j.
Definition update1 {A} (a : nat -> A) (i : nat) (x : A) : nat -> A := fun j => if Nat.eqb j i then x else a j.
Definition slice {A} (a : nat -> A) (lo hi : nat) : nat -> A := fun i => a (lo + i)%nat.

(** The sum of the numbers below [n]. *)
Fixpoint sum_below (n : nat) (a : nat -> R) : R := match n with
  | O => 0
  | S n => sum_below n a + a n
  end.

(** The size of an array is not part of its type, so what depends on it is given it. *)
Definition sum (n : nat) (a : nat -> R) : R := sum_below n a.
Definition concat {A} (n : nat) (a b : nat -> A) : nat -> A := fun i => if Nat.ltb i n then a i else b (i - n)%nat.
Definition flatten {A} (m : nat) (a : nat -> nat -> A) : nat -> A := fun k => a (k / m)%nat (k mod m)%nat.

(** ** Accumulators *)
Definition new_acc {A} (a : A) := a.
Definition read_acc {A} (a : A) := a.
Definition add_at0_0 (x acc : R) : R := acc + x.
Definition add_at0_1 (x acc : nat -> R) : nat -> R := plus1 acc x.
Definition add_at0_2 (x acc : nat -> nat -> R) : nat -> nat -> R := plus2 acc x.

(** What changes one element, or the elements of a range, as [f] changes what is there. *)
Definition at_place {A} (i : nat) (f : A -> A) (acc : nat -> A) : nat -> A :=
  fun j => if Nat.eqb j i then f (acc j) else acc j.
Definition range_place {A} (lo hi : nat) (f : (nat -> A) -> nat -> A) (acc : nat -> A) : nat -> A :=
  fun j => if (Nat.leb lo j && Nat.ltb j hi)%bool then f (fun k => acc (lo + k)%nat) (j - lo)%nat else acc j.
Definition add_at1_0 (i : nat) (x : R) := at_place i (add_at0_0 x).
Definition add_at1_1 (i : nat) (x : nat -> R) := at_place i (add_at0_1 x).
Definition add_at2_0 (i j : nat) (x : R) := at_place i (at_place j (add_at0_0 x)).

(** ** Loops: [step] is an iteration, from states to states *)
Fixpoint loop_up {A} (n : nat) (step : nat -> A -> A) (start : A) : A := match n with
  | O => start
  | S n => step n (loop_up n step start)
  end.

Fixpoint loop_down {A} (n : nat) (step : nat -> A -> A) (start : A) : A := match n with
  | O => start
  | S n => loop_down n step (step n start)
  end.
