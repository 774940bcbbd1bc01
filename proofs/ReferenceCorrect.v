(** * The reference implementation computes derivatives

    About [Reference]. Paper: Abadi and Plotkin, "A Simple Differentiable Programming Language", theorems 6.1 and 6.2, here
    for a language with functions as values, arrays, sums, loops and recursion, and for forward mode.

    [strict] is a third kind of numbers: curves with a derivative at one point. They give no result at the edge of the
    domain of a row, and none for a comparison of equal numbers, as the paper's language has none there.

    Proved: [reference_derivative]. Where the strict run has a number as its result, the run with dual numbers has it too,
    and all runs at points close by have results; they are a function, and the tangent is its derivative. *)
From Coq Require Import Reals ZArith List Bool Psatz.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table Values Rows RowsOfTwo RowsTogether Reference Simulation.
From Pullback Require Trace.
Import ListNotations.
Open Scope R_scope.

Section Correct.
Variable lgamma : R -> R.
Variable polygamma : R -> R -> R.
Variable gamma : polygamma_derivatives lgamma polygamma.
Notation value1 := (value1 lgamma polygamma).
Notation value2 := (value2 polygamma).

(** ** Real numbers *)
Definition reals : base R := {|
  constant := number_value;
  integer := IZR;
  value_of_one := value1;
  value_of_two := value2;
  is_one := fun x => if Req_EM_T x 1 then true else false |}.

Lemma term_of_reals x y r t : term_of reals x y r t = term_value lgamma polygamma x y r t.
Proof.
  induction t; simpl; try reflexivity; try congruence.
  rewrite IHt1, IHt2, IHt3. destruct (Req_EM_T _ 1); reflexivity.
Qed.

(** ** Where there are derivatives *)
Definition compares_dec p x y : {compares p x y} + {~ compares p x y}.
Proof.
  destruct p; simpl; try (right; tauto).
  - apply Rlt_dec.
  - apply Rle_dec.
  - apply Rgt_dec.
  - apply Rge_dec.
  - apply Req_EM_T.
  - destruct (Req_EM_T x y); [right | left]; tauto.
Defined.

Definition inside_dec first x y d : {inside lgamma polygamma first x y d} + {~ inside lgamma polygamma first x y d}.
Proof.
  induction d; simpl.
  - now left.
  - apply compares_dec.
  - destruct IHd1, IHd2; tauto.
  - destruct IHd1, IHd2; tauto.
  - destruct first; assumption.
Defined.

Definition no_pole_dec p x : {no_pole p x} + {~ no_pole p x}.
Proof. destruct p; simpl; try (now left). destruct (Req_EM_T (cos x) 0); [right | left]; tauto. Defined.

(** The slope of a primitive at [x], with what makes it one. *)
Definition slope_one p x : option {d | slope_of_one reals p x = Some d /\ is_derive (value1 p) x d}.
Proof.
  destruct (no_pole_dec p x) as [N|]; [|exact None].
  generalize (rows_of_one lgamma polygamma p x gamma N). unfold slope_of_one.
  destruct (row p) as [[d ts]|]; [|exact (fun _ => None)]. destruct ts as [|[t|] [|? ?]]; [exact (fun _ => None) | | exact
    (fun _ => None) ..].
  destruct (inside_dec true x 0 d) as [I|]; [|exact (fun _ => None)]. intro D.
  refine (Some (exist _ _ (conj eq_refl _))). rewrite term_of_reals. exact (D I).
Defined.

Definition slope_power x z : option {d | slope_of_power reals x z = Some d /\ is_derive (fun x => value2 PowInt x (IZR z)) x d}.
Proof.
  generalize (rows_with_an_integer lgamma polygamma PowInt x z gamma). unfold slope_of_power. cbn [row].
  match goal with |- (inside _ _ _ _ _ ?d -> _) -> _ => destruct (inside_dec true x (IZR z) d) as [I|] end;
    [|exact (fun _ => None)].
  intro D. refine (Some (exist _ _ (conj eq_refl _))). rewrite term_of_reals. exact (D I).
Defined.

(** ** Primitives of two arguments *)
Definition covered_dec p x : {covered p x} + {~ covered p x}.
Proof. destruct p; simpl; try (now left). apply Rlt_dec. Defined.

Definition slopes_two p x y :
  option {d | slopes_of_two reals p x y = Some d /\ Trace.partials (value2 p) x y (fst d) (snd d)}.
Proof.
  destruct (covered_dec p x) as [C|]; [|exact None].
  generalize (rows_together lgamma polygamma p x y C). unfold slopes_of_two.
  destruct (row p) as [[d ts]|]; [|exact (fun _ => None)].
  destruct ts as [|[t|] [|[u|] [|? ?]]];
    [exact (fun _ => None) | exact (fun _ => None) | | exact (fun _ => None) ..].
  destruct (inside_dec true x y d) as [I|]; [|exact (fun _ => None)].
  destruct (inside_dec false x y d) as [J|]; [|exact (fun _ => None)].
  intro P. refine (Some (exist _ _ (conj eq_refl _))). simpl. rewrite !term_of_reals. exact (P I J).
Defined.

(** ** Strict numbers *)
Section Point.
Variable t0 : R.

Record curve := { at_point : R -> R; slope : R; derived : is_derive at_point t0 slope }.

Definition held (x : R) : curve := {| at_point := fun _ => x; slope := 0; derived := derive_constant x t0 |}.

Lemma derived_one p f d : is_derive (value1 p) (at_point f t0) d ->
  is_derive (fun t => value1 p (at_point f t)) t0 (slope f * d).
Proof. intro D. evar_last; [apply (is_derive_comp (value1 p) (at_point f)); [exact D | apply derived] | reflexivity]. Qed.

Lemma derived_power z f d : is_derive (fun x => value2 PowInt x (IZR z)) (at_point f t0) d ->
  is_derive (fun t => value2 PowInt (at_point f t) (IZR z)) t0 (slope f * d).
Proof.
  intro D. evar_last; [apply (is_derive_comp (fun x => value2 PowInt x (IZR z)) (at_point f));
    [exact D | apply derived] | reflexivity].
Qed.

Definition strict : numbers R curve := {|
  literal := held;
  of_int := fun z => held (IZR z);
  one := fun p f => match slope_one p (at_point f t0) with
    | Some (exist d H) => Some {| at_point := fun t => value1 p (at_point f t); slope := slope f * d;
        derived := derived_one p f d (proj2 H) |}
    | None => None
    end;
  two := fun p f g => match slopes_two p (at_point f t0) (at_point g t0) with
    | Some (exist d H) => Some {| at_point := fun t => value2 p (at_point f t) (at_point g t);
        slope := slope f * fst d + slope g * snd d;
        derived := proj2 H (at_point f) (at_point g) t0 (slope f) (slope g) eq_refl eq_refl (derived f) (derived g) |}
    | None => None
    end;
  power := fun f z => match slope_power (at_point f t0) z with
    | Some (exist d H) => Some {| at_point := fun t => value2 PowInt (at_point f t) (IZR z); slope := slope f * d;
        derived := derived_power z f d (proj2 H) |}
    | None => None
    end;
  decide := fun p f g =>
    if comparison p then if Req_EM_T (at_point f t0) (at_point g t0) then None
      else Some (compare reals p (at_point f t0) (at_point g t0))
    else None |}.

(** A strict number is followed by its dual number, and by the number at a point. *)
Definition as_dual (_ : R) (f : curve) (x : R * R) : Prop := x = (at_point f t0, slope f).
Definition as_number (t : R) (f : curve) (x : R) : Prop := x = at_point f t.

Lemma continuous_at f : continuous (at_point f) t0.
Proof. apply (ex_derive_continuous (at_point f) t0). exists (slope f). apply derived. Qed.

Lemma compare_less p x y x' y' : comparison p = true -> x < y -> x' < y' -> compare reals p x y = compare reals p x' y'.
Proof.
  intros C L L'. destruct p; try discriminate C; unfold compare, reals; simpl; unfold truth.
  - destruct (Rlt_dec x y), (Rlt_dec x' y'); lra || reflexivity.
  - destruct (Rle_dec x y), (Rle_dec x' y'); lra || reflexivity.
  - destruct (Rgt_dec x y), (Rgt_dec x' y'); lra || reflexivity.
  - destruct (Rge_dec x y), (Rge_dec x' y'); lra || reflexivity.
  - destruct (Req_EM_T x y), (Req_EM_T x' y'); lra || reflexivity.
  - destruct (Req_EM_T x y), (Req_EM_T x' y'); lra || reflexivity.
Qed.

Lemma compare_more p x y x' y' : comparison p = true -> y < x -> y' < x' -> compare reals p x y = compare reals p x' y'.
Proof.
  intros C L L'. destruct p; try discriminate C; unfold compare, reals; simpl; unfold truth.
  - destruct (Rlt_dec x y), (Rlt_dec x' y'); lra || reflexivity.
  - destruct (Rle_dec x y), (Rle_dec x' y'); lra || reflexivity.
  - destruct (Rgt_dec x y), (Rgt_dec x' y'); lra || reflexivity.
  - destruct (Rge_dec x y), (Rge_dec x' y'); lra || reflexivity.
  - destruct (Req_EM_T x y), (Req_EM_T x' y'); lra || reflexivity.
  - destruct (Req_EM_T x y), (Req_EM_T x' y'); lra || reflexivity.
Qed.

Variable globals : list (expr R).

Lemma dual_one p x y : one strict p x = Some y -> forall t b, as_dual t x b ->
  exists c, one (dual reals) p b = Some c /\ as_dual t y c.
Proof.
  simpl. destruct (slope_one p (at_point x t0)) as [[d [S D]]|]; [|discriminate]. intros E t b ->. injection E as <-.
  simpl. rewrite S. eexists. split; reflexivity.
Qed.

Lemma dual_two p x y z : two strict p x y = Some z -> forall t b c, as_dual t x b -> as_dual t y c ->
  exists d, two (dual reals) p b c = Some d /\ as_dual t z d.
Proof.
  simpl. destruct (slopes_two p (at_point x t0) (at_point y t0)) as [[d [S D]]|]; [|discriminate].
  intros E t b c -> ->. injection E as <-. simpl. rewrite S. eexists. split; reflexivity.
Qed.

Lemma dual_power x z y : power strict x z = Some y -> forall t b, as_dual t x b ->
  exists c, power (dual reals) b z = Some c /\ as_dual t y c.
Proof.
  unfold strict, power. destruct (slope_power (at_point x t0) z) as [[d [S D]]|]; [|discriminate].
  intros E t b ->. injection E as <-. cbn [dual power fst snd]. rewrite S. eexists. split; reflexivity.
Qed.

Lemma dual_decide p x y r : decide strict p x y = Some r -> locally t0 (fun t => forall b c,
  as_dual t x b -> as_dual t y c -> decide (dual reals) p b c = Some r).
Proof.
  simpl. destruct (comparison p); [|discriminate]. destruct (Req_EM_T (at_point x t0) (at_point y t0)); [discriminate|].
  intro E. apply filter_forall. intros t b c -> ->. exact E.
Qed.

Theorem dual_follows n e env f : eval strict globals n e env = Some (VReal f) ->
  forall env', Forall2 (related as_dual t0) env env' ->
  eval (dual reals) globals n e env' = Some (VReal (at_point f t0, slope f)).
Proof.
  intros H env' M.
  assert (K := simulation strict (fun _ => dual reals) (locally t0) as_dual (fun l t => eq_refl) (fun z t => eq_refl)
    dual_one dual_two dual_power dual_decide globals n e env _ H).
  destruct (locally_singleton _ _ K env' M) as (w & -> & W). inversion W as [? x X| | | | | | |]; subst. now rewrite X.
Qed.

Lemma number_one p x y : one strict p x = Some y -> forall t b, as_number t x b ->
  exists c, one (plain reals) p b = Some c /\ as_number t y c.
Proof.
  simpl. destruct (slope_one p (at_point x t0)) as [[d S]|]; [|discriminate]. intros E t b ->. injection E as <-.
  eexists. split; reflexivity.
Qed.

Lemma number_two p x y z : two strict p x y = Some z -> forall t b c, as_number t x b -> as_number t y c ->
  exists d, two (plain reals) p b c = Some d /\ as_number t z d.
Proof.
  simpl. destruct (slopes_two p (at_point x t0) (at_point y t0)) as [[d S]|]; [|discriminate].
  intros E t b c -> ->. injection E as <-. eexists. split; reflexivity.
Qed.

Lemma number_power x z y : power strict x z = Some y -> forall t b, as_number t x b ->
  exists c, power (plain reals) b z = Some c /\ as_number t y c.
Proof.
  unfold strict, power. destruct (slope_power (at_point x t0) z) as [[d S]|]; [|discriminate].
  intros E t b ->. injection E as <-. eexists. split; reflexivity.
Qed.

Lemma number_decide p x y r : decide strict p x y = Some r -> locally t0 (fun t => forall b c,
  as_number t x b -> as_number t y c -> decide (plain reals) p b c = Some r).
Proof.
  simpl. destruct (comparison p) eqn:C; [|discriminate].
  destruct (Req_EM_T (at_point x t0) (at_point y t0)) as [|N]; [discriminate|]. intro E. injection E as <-.
  destruct (Rlt_dec (at_point x t0) (at_point y t0)) as [L|L].
  - generalize (locally_less _ _ _ (continuous_at x) (continuous_at y) L). apply filter_imp.
    intros t S b c -> ->. f_equal. now apply compare_less.
  - assert (L' : at_point y t0 < at_point x t0) by lra.
    generalize (locally_less _ _ _ (continuous_at y) (continuous_at x) L'). apply filter_imp.
    intros t S b c -> ->. f_equal. now apply compare_more.
Qed.

Theorem numbers_follow n e env f : eval strict globals n e env = Some (VReal f) ->
  locally t0 (fun t => forall env', Forall2 (related as_number t) env env' ->
    eval (plain reals) globals n e env' = Some (VReal (at_point f t))).
Proof.
  intros H.
  assert (K := simulation strict (fun _ => plain reals) (locally t0) as_number (fun l t => eq_refl) (fun z t => eq_refl)
    number_one number_two number_power number_decide globals n e env _ H).
  revert K. unfold follows. apply filter_imp. intros t S env' M. destruct (S env' M) as (w & -> & W).
  inversion W as [? x X| | | | | | |]; subst. now rewrite X.
Qed.

Theorem reference_derivative n e env f : eval strict globals n e env = Some (VReal f) ->
  (forall env', Forall2 (related as_dual t0) env env' ->
    eval (dual reals) globals n e env' = Some (VReal (at_point f t0, slope f))) /\
  locally t0 (fun t => forall env', Forall2 (related as_number t) env env' ->
    eval (plain reals) globals n e env' = Some (VReal (at_point f t))) /\
  is_derive (at_point f) t0 (slope f).
Proof. intro H. split; [now apply dual_follows | split; [now apply numbers_follow | apply derived]]. Qed.
End Point.
End Correct.
