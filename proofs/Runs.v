(** * A strict run: a power

    About [ReferenceCorrect], whose theorem speaks of programs that have a strict run. [Rules] has one with a rule of its
    own. Here a base has to be positive, and the exponent stays what it is.

    Proved: [positive_base], that there is a result then, and its slope; and [cube_of_two], the run of one program, with
    what the theorem says of it: the derivative of [x ^ 3.0] at 2 is 12. *)
From Coq Require Import Reals List Bool Lra.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table Values Rows RowsOfTwo Reference Related Inside Simulation ReferenceCorrect Rules.
Import ListNotations.
Open Scope R_scope.

Section Runs.
Variable lgamma : R -> R.
Variable polygamma : R -> R -> R.
Variable gamma : polygamma_derivatives lgamma polygamma.
Variable t0 : R.
Notation curve := (curve t0).
Notation strict := (strict lgamma polygamma gamma t0).
Notation machine := (ground (plain (reals lgamma polygamma))).

Theorem positive_base (f g : curve) : 0 < at_point t0 f t0 -> steady t0 g = true ->
  exists h, two strict Pow f g = Some h /\
    (forall t, at_point t0 h t = pow (at_point t0 f t) (at_point t0 g t)) /\
    slope t0 h = slope t0 f * (at_point t0 g t0 * pow (at_point t0 f t0) (at_point t0 g t0 - 1)).
Proof.
  intros N S. set (x := at_point t0 f t0) in *. set (y := at_point t0 g t0) in *.
  assert (I : inside_by lgamma polygamma true Pow x y).
  { unfold inside_by. simpl. replace (0 / 1) with 0 by field. exact N. }
  assert (D : exists d, slopes_of_two (plain (reals lgamma polygamma)) Pow x y (value2 polygamma Pow x y) = Some d).
  { unfold slopes_of_two, Reference.slope. simpl.
    repeat (match goal with |- context [if ?b then _ else _] => destruct b end; simpl); eauto. }
  destruct D as [d D].
  destruct (strict_two_alone lgamma polygamma t0 Pow f g d D (or_introl (conj S I))) as [h H]. exists h.
  split; [exact H|]. destruct (strict_two_right lgamma polygamma t0 Pow f g h H) as (P & d' & D' & L).
  split; [intro t; now rewrite P|]. fold x y in D'. rewrite D in D'. injection D' as <-.
  destruct (slopes_by_one lgamma polygamma Pow x y d D) as [K _]. specialize (K I).
  rewrite L, (steady_slope t0 g S), Rmult_0_l, Rplus_0_r. f_equal.
  rewrite <- (is_derive_unique _ _ _ K). apply is_derive_unique. now apply derive_pow_1.
Qed.

(** [x ^ 3.0] *)
Definition cube : expr R := EPrim Pow [EVar 0; EReal 3].

Theorem cube_of_two (f : curve) : at_point t0 f t0 = 2 -> slope t0 f = 1 -> exists h,
  eval [] (Ground strict (fun _ _ _ _ _ => false)) 2 cube [VReal f] = Some (VReal h) /\
  eval [] (Above machine) 2 cube [VReal (2, 1)] = Some (VReal (8, 12)) /\ is_derive (at_point t0 h) t0 12.
Proof.
  intros X DX. destruct (positive_base f (held t0 3)) as (h & H & P & L); [rewrite X; lra | reflexivity |].
  exists h. assert (E : eval [] (Ground strict (fun _ _ _ _ _ => false)) 2 cube [VReal f] = Some (VReal h)).
  { cbn - [two ReferenceCorrect.strict]. change (literal strict 3) with (held t0 3). now rewrite H. }
  destruct (reference_derivative lgamma polygamma gamma t0 [] _ (no_rules lgamma polygamma gamma t0 []) _ _ _ _ E)
    as (K & _ & D).
  assert (Q : pow 2 (3 - 1) = 4).
  { rewrite pow_positive by lra. replace ((3 - 1) * ln 2) with (ln 2 + ln 2) by ring. rewrite exp_plus, exp_ln by lra. ring. }
  assert (V : at_point t0 h t0 = 8).
  { rewrite P, X. simpl. rewrite pow_positive by lra. replace (3 * ln 2) with (ln 2 + (ln 2 + ln 2)) by ring.
    rewrite !exp_plus, !exp_ln by lra. ring. }
  assert (S : slope t0 h = 12) by (rewrite L, X, DX; simpl; rewrite Q; ring).
  split; [exact E|]. split; [|now rewrite <- S]. rewrite (K [VReal (2, 1)]); [now rewrite V, S|].
  repeat constructor. red. now rewrite X, DX.
Qed.
End Runs.
