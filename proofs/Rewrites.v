(** * The algebraic laws of the optimiser

    Code: crates/opt/src/local/simplify/scalar.rs and crates/opt/src/local/expand_powers.rs.

    The optimiser may use a law only if it keeps every bit. That is left to tests. Proved here is what the laws have to be
    before: true of numbers, integers and Bools, with the meaning of [Values]. [repeated_squaring] is about the products
    that become of an integer power. *)
From Coq Require Import Reals ZArith Bool Psatz.
From Pullback Require Import Table Values Rows.
Open Scope R_scope.

Section Gamma.
Variable lgamma : R -> R.
Variable polygamma : R -> R -> R.
Notation one := (value1 lgamma polygamma).
Notation two := (value2 polygamma).

Lemma power_of x n : two PowInt x (IZR n) = powerRZ x n.
Proof. unfold value2, pow_int. now rewrite Int_part_IZR. Qed.

Lemma slope_of x n : two PowSlope x (IZR n) = IZR n * powerRZ x (n - 1).
Proof. unfold value2, pow_slope. now rewrite Int_part_IZR. Qed.

Theorem laws_of_one x : one Neg (one Neg x) = x /\ one Abs (one Neg x) = one Abs x.
Proof. simpl. split; [ring | apply Rabs_Ropp]. Qed.

Theorem laws_with_constants x : two Mul x 1 = x /\ two Mul 1 x = x /\ two Div x 1 = x /\ two Mul x (-1) = one Neg x /\
  two Mul (-1) x = one Neg x /\ two Div x (-1) = one Neg x /\ (forall c, c <> 0 -> two Div x c = two Mul x (1 / c)) /\
  two Add x 0 = x /\ two Add 0 x = x /\ two Sub x 0 = x /\ two Sub 0 x = one Neg x.
Proof. simpl. repeat split; try (intros; field); try assumption; ring. Qed.

Theorem laws_of_powers x : two PowInt x (IZR 0) = 1 /\ two PowInt x (IZR 1) = x /\ two PowInt x (IZR 2) = two Mul x x /\
  two PowInt x (IZR (-1)) = two Div 1 x /\ two PowSlope x (IZR 0) = 0 /\ two PowSlope x (IZR 1) = 1 /\
  two PowSlope x (IZR 2) = two Mul 2 x.
Proof.
  rewrite !power_of, !slope_of. simpl. repeat split; try ring. unfold Rdiv. rewrite Rmult_1_r. ring.
Qed.

Theorem laws_of_signs x y : two Add x (one Neg y) = two Sub x y /\ two Add (one Neg x) y = two Sub y x /\
  two Sub x (one Neg y) = two Add x y /\ two Mul (one Neg x) (one Neg y) = two Mul x y /\
  (y <> 0 -> two Div (one Neg x) (one Neg y) = two Div x y).
Proof. simpl. repeat split; try ring. intro. field. assumption. Qed.

Theorem law_of_scales x b c : two Mul (two Mul x b) c = two Mul x (b * c).
Proof. simpl. ring. Qed.

Theorem laws_of_the_same x : two Max x x = x /\ two Min x x = x /\ two Lt x x = 0 /\ two Gt x x = 0.
Proof.
  simpl. unfold truth. repeat split.
  - apply Rmax_left. lra.
  - apply Rmin_left. lra.
  - destruct (Rlt_dec x x); lra.
  - destruct (Rgt_dec x x); lra.
Qed.

(** ** Powers by repeated squaring
    [squares] goes through the digits of the exponent, the last one first, with the square for the digit and the product
    so far. *)
Definition product (lower : option R) (square : R) : R := match lower with Some l => l * square | None => square end.

Fixpoint squares (n : positive) (square : R) (lower : option R) : R := match n with
  | xH => product lower square
  | xO n => squares n (square * square) lower
  | xI n => squares n (square * square) (Some (product lower square))
  end.

Lemma squares_correct n : forall square lower,
  squares n square lower = match lower with Some l => l | None => 1 end * square ^ Pos.to_nat n.
Proof.
  assert (D : forall s m, (s * s) ^ m = s ^ (2 * m)).
  { intros s m. rewrite pow_mult. f_equal. ring. }
  induction n; intros square lower; simpl squares.
  - rewrite IHn, D, Pos2Nat.inj_xI. simpl. destruct lower; simpl; ring.
  - rewrite IHn, D, Pos2Nat.inj_xO. reflexivity.
  - rewrite Pos2Nat.inj_1. destruct lower; simpl; ring.
Qed.

Definition by_squaring (x : R) (n : Z) : R := match n with
  | Z0 => 1
  | Zpos n => squares n x None
  | Zneg n => 1 / squares n x None
  end.

Theorem repeated_squaring x n : two PowInt x (IZR n) = by_squaring x n /\
  two PowSlope x (IZR n) = IZR n * by_squaring x (n - 1).
Proof.
  assert (P : forall n, powerRZ x n = by_squaring x n).
  { intros [|m|m]; simpl; rewrite ?squares_correct; [reflexivity | ring | unfold Rdiv; now rewrite !Rmult_1_l]. }
  now rewrite power_of, slope_of, !P.
Qed.
End Gamma.

(** ** Integers and Bools *)
Theorem laws_of_integers (x y : Z) : (x + 0 = x /\ 0 + x = x /\ x - 0 = x /\ x * 1 = x /\ 1 * x = x /\ x / 1 = x /\ x * 0 = 0 /\
  0 * x = 0 /\ x mod 1 = 0 /\ x ^ 1 = x /\ x ^ 0 = 1 /\ (x + y) - y = x /\ (y + x) - y = x /\ (x - y) + y = x /\ y + (x - y) = x /\
  Z.max x x = x /\ Z.min x x = x /\ x - x = 0)%Z.
Proof. repeat split; try ring; try apply Z.div_1_r; try apply Z.mod_1_r; try apply Z.pow_1_r; lia. Qed.

Theorem laws_of_bools (p q : bool) : negb (negb p) = p /\ eqb p true = p /\ eqb true p = p /\ eqb p false = negb p /\
  eqb false p = negb p /\ eqb p p = true /\ (if p then true else false) = p /\ (if p then false else true) = negb p.
Proof. now destruct p. Qed.
