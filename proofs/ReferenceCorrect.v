(** * The reference implementation computes derivatives

    About [Reference]. Paper: Abadi and Plotkin, "A Simple Differentiable Programming Language", theorems 6.1 and 6.2, here
    for a language with functions as values, arrays, sums, loops and recursion, and for forward mode.

    [strict] is a third kind of numbers: curves with a derivative at one point. They give no result at the edge of the
    domain of a row, and none for a comparison of equal numbers, as the paper's language has none there.

    Proved: [reference_derivative]. Where the strict run has a number as its result, the run with dual numbers has it too,
    and all runs at points close by have results; they are a function, and the tangent is its derivative. *)
From Coq Require Import Reals ZArith List Bool Psatz.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table Values Rows RowsOfTwo Reference Simulation.
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
  destruct (row p) as [[d ts]|]; [|exact (fun _ => None)]. destruct ts as [|[t|] [|? ?]]; [exact (fun _ => None) | | exact (fun _ => None) ..].
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

(** ** Primitives of two arguments, both of which move *)
Notation partials := Trace.partials.

Lemma partials_local f g a b fx fy : partials g a b fx fy -> f a b = g a b ->
  (forall (u v : R -> R) t, u t = a -> v t = b -> continuous u t -> continuous v t -> locally t (fun t => g (u t) (v t) = f (u t) (v t))) ->
  partials f a b fx fy.
Proof.
  intros P E H u v t du dv U V Du Dv. apply (is_derive_ext_loc (fun t => g (u t) (v t))).
  - apply H; auto; [apply (ex_derive_continuous u t); now exists du | apply (ex_derive_continuous v t); now exists dv].
  - now apply P.
Qed.

Lemma locally_less (u v : R -> R) t : continuous u t -> continuous v t -> u t < v t -> locally t (fun t => u t < v t).
Proof.
  intros U V L.
  assert (C : continuous (fun t => v t - u t) t) by now apply (continuous_minus v u).
  assert (P : locally (v t - u t) (fun z => 0 < z)).
  { apply (locally_interval _ (v t - u t) 0 (v t - u t + 1)); simpl; intros; lra. }
  generalize (C (fun z => 0 < z) P). unfold filtermap. apply filter_imp. intros s S. lra.
Qed.

Lemma first_partials a b : partials (fun x _ => x) a b 1 0.
Proof. intros u v t du dv _ _ Du _. rewrite Rmult_1_r, Rmult_0_r, Rplus_0_r. exact Du. Qed.

Lemma second_partials a b : partials (fun _ y => y) a b 0 1.
Proof. intros u v t du dv _ _ _ Dv. rewrite Rmult_1_r, Rmult_0_r, Rplus_0_l. exact Dv. Qed.

Lemma max_partials a b : a <> b -> partials Rmax a b (if Rlt_dec a b then 0 else 1) (if Rlt_dec a b then 1 else 0).
Proof.
  intro N. destruct (Rlt_dec a b) as [L|L].
  - apply (partials_local _ (fun _ y => y)); [apply second_partials | apply Rmax_right; lra |].
    intros u v t <- <- U V. generalize (locally_less u v t U V L). apply filter_imp. intros s S. symmetry. apply Rmax_right. lra.
  - apply (partials_local _ (fun x _ => x)); [apply first_partials | apply Rmax_left; lra |].
    intros u v t <- <- U V. assert (L' : v t < u t) by lra.
    generalize (locally_less v u t V U L'). apply filter_imp. intros s S. symmetry. apply Rmax_left. lra.
Qed.

Lemma min_partials a b : a <> b -> partials Rmin a b (if Rlt_dec a b then 1 else 0) (if Rlt_dec a b then 0 else 1).
Proof.
  intro N. destruct (Rlt_dec a b) as [L|L].
  - apply (partials_local _ (fun x _ => x)); [apply first_partials | apply Rmin_left; lra |].
    intros u v t <- <- U V. generalize (locally_less u v t U V L). apply filter_imp. intros s S. symmetry. apply Rmin_left. lra.
  - apply (partials_local _ (fun _ y => y)); [apply second_partials | apply Rmin_right; lra |].
    intros u v t <- <- U V. assert (L' : v t < u t) by lra.
    generalize (locally_less v u t V U L'). apply filter_imp. intros s S. symmetry. apply Rmin_right. lra.
Qed.

Lemma xlogy_partials a b : 0 < b -> partials (fun x y => x * ln y) a b (ln b) (a / b).
Proof.
  intros P u v t du dv <- <- Du Dv. evar_last.
  - apply (is_derive_mult u (fun t => ln (v t))); [exact Du | | intros; apply Rmult_comm].
    apply (is_derive_comp ln v); [|exact Dv]. apply is_derive_Reals, derivable_pt_lim_ln. exact P.
  - unfold plus, mult, scal; simpl. unfold mult; simpl. field. lra.
Qed.

Lemma pow_partials a b : 0 < a -> partials pow a b (b * pow a (b - 1)) (pow a b * ln a).
Proof.
  intro P. assert (S : pow a (b - 1) = pow a b / a).
  { rewrite !pow_positive by exact P. replace ((b - 1) * ln a) with (b * ln a + - ln a) by ring.
    rewrite exp_plus, exp_Ropp, exp_ln by exact P. reflexivity. }
  apply (partials_local _ (fun x y => exp (y * ln x))).
  - intros u v t du dv <- <- Du Dv. rewrite S, pow_positive by exact P. evar_last.
    + apply (is_derive_comp exp (fun t => v t * ln (u t))); [apply is_derive_exp|].
      apply (is_derive_mult v (fun t => ln (u t))); [exact Dv | | intros; apply Rmult_comm].
      apply (is_derive_comp ln u); [|exact Du]. apply is_derive_Reals, derivable_pt_lim_ln. exact P.
    + unfold plus, mult, scal; simpl. unfold mult; simpl. field. lra.
  - now apply pow_positive.
  - intros u v t <- <- U V. generalize (locally_less (fun _ => 0) u t (continuous_const 0 t) U P).
    apply filter_imp. intros s L. symmetry. now apply pow_positive.
Qed.

Lemma hypot_partials a b : a <> 0 \/ b <> 0 -> partials hypot a b (a / hypot a b) (b / hypot a b).
Proof.
  intros N u v t du dv <- <- Du Dv. unfold hypot.
  assert (P : 0 < u t * u t + v t * v t) by (destruct N; nra).
  pose proof (sqrt_lt_R0 _ P). evar_last.
  - apply (is_derive_comp sqrt (fun t => u t * u t + v t * v t)).
    + apply is_derive_sqrt; [apply @is_derive_id | exact P].
    + apply (is_derive_plus (fun t => u t * u t) (fun t => v t * v t)).
      * apply (is_derive_mult u u); [exact Du | exact Du | intros; apply Rmult_comm].
      * apply (is_derive_mult v v); [exact Dv | exact Dv | intros; apply Rmult_comm].
  - unfold plus, mult, scal, Hierarchy.one; simpl. unfold mult; simpl. field. lra.
Qed.

(** [atan2] has three formulas; each holds on an open half plane. *)
Lemma atan_partials (sign shift a b : R) : b <> 0 ->
  partials (fun x y => shift + sign * atan (x / y)) a b (sign * (b / (a * a + b * b))) (- (sign * (a / (a * a + b * b)))).
Proof.
  intros N u v t du dv <- <- Du Dv. evar_last.
  - apply (is_derive_plus (fun _ => shift) (fun t => sign * atan (u t / v t))); [apply derive_constant|].
    apply (is_derive_scal (fun t => atan (u t / v t))). apply (is_derive_comp atan (fun t => u t / v t)).
    + apply is_derive_Reals, derivable_pt_lim_atan.
    + apply (is_derive_div u v t du dv Du Dv N).
  - unfold plus, scal; simpl. unfold mult; simpl.
    pose proof (Rsqr_pos_lt _ N) as Q. unfold Rsqr in Q. field. repeat split; try exact N; nra.
Qed.

Lemma flipped_partials f a b fx fy : partials f b a fy fx -> partials (fun x y => f y x) a b fx fy.
Proof. intros P u v t du dv U V Du Dv. rewrite Rplus_comm. now apply (P v u). Qed.

Lemma atan2_partials y x : y <> 0 \/ 0 < x -> partials atan2 y x (x / (y * y + x * x)) (- (y / (y * y + x * x))).
Proof.
  intro H. destruct (Rlt_dec 0 x) as [P|P].
  - apply (partials_local _ (fun y x => 0 + 1 * atan (y / x))).
    + replace (x / (y * y + x * x)) with (1 * (x / (y * y + x * x))) by ring.
      replace (y / (y * y + x * x)) with (1 * (y / (y * y + x * x))) by ring. apply atan_partials. lra.
    + rewrite atan2_right by exact P. ring.
    + intros u v t <- <- U V. generalize (locally_less (fun _ => 0) v t (continuous_const 0 t) V P).
      apply filter_imp. intros s L. rewrite atan2_right by exact L. ring.
  - assert (Y : y <> 0) by (destruct H; [assumption | contradiction]).
    pose proof (Rsqr_pos_lt _ Y) as Sq. unfold Rsqr in Sq.
    assert (Q : forall shift, partials (fun y x => shift + -1 * atan (x / y)) y x (x / (y * y + x * x)) (- (y / (y * y + x * x)))).
    { intro shift. apply (flipped_partials (fun x y => shift + -1 * atan (x / y))).
      replace (x / (y * y + x * x)) with (- (-1 * (x / (x * x + y * y)))) by (field; nra).
      replace (- (y / (y * y + x * x))) with (-1 * (y / (x * x + y * y))) by (field; nra). now apply atan_partials. }
    destruct (Rlt_dec 0 y) as [L|L].
    + apply (partials_local _ (fun y x => PI / 2 + -1 * atan (x / y))); [apply Q | rewrite atan2_above by exact L; ring |].
      intros u v t <- <- U V. generalize (locally_less (fun _ => 0) u t (continuous_const 0 t) U L).
      apply filter_imp. intros s S. rewrite atan2_above by exact S. ring.
    + assert (L' : y < 0) by lra.
      apply (partials_local _ (fun y x => - (PI / 2) + -1 * atan (x / y))); [apply Q | rewrite atan2_below by exact L'; ring |].
      intros u v t <- <- U V. generalize (locally_less u (fun _ => 0) t U (continuous_const 0 t) L').
      apply filter_imp. intros s S. rewrite atan2_below by exact S. ring.
Qed.

(** Both answers of each comparison of numbers. *)
Ltac decide_all := repeat match goal with
  | |- context [Req_EM_T ?a ?b] => lazymatch a with if _ then _ else _ => fail | _ => destruct (Req_EM_T a b); try lra end
  | |- context [Rgt_dec ?a ?b] => destruct (Rgt_dec a b); try lra
  | |- context [Rlt_dec ?a ?b] => destruct (Rlt_dec a b); try lra
  | |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b); try lra
  end.

Definition slopes_two p x y : option {d | slopes_of_two reals p x y = Some d /\ partials (value2 p) x y (fst d) (snd d)}.
Proof.
  assert (Give : forall p d, slopes_of_two reals p x y = Some d -> forall fx fy, partials (value2 p) x y fx fy ->
    fst d = fx -> snd d = fy ->
    option {d | slopes_of_two reals p x y = Some d /\ partials (value2 p) x y (fst d) (snd d)}).
  { intros q d E fx fy P F G. refine (Some (exist _ d (conj E _))). now rewrite F, G. }
  refine (match p as q return option {d | slopes_of_two reals q x y = Some d /\ partials (value2 q) x y (fst d) (snd d)}
    with Add => _ | Sub => _ | Mul => _ | Div => _ | Pow => _ | Max => _ | Min => _ | Atan2 => _ | Hypot => _ | Xlogy => _
    | _ => None end).
  - refine (Give Add _ eq_refl _ _ (Trace.sum_partials x y) _ _); simpl; field.
  - refine (Give Sub _ eq_refl _ _ (Trace.difference_partials x y) _ _); simpl; field.
  - refine (Give Mul _ eq_refl _ _ (Trace.product_partials x y) _ _); simpl; reflexivity.
  - destruct (Req_EM_T y 0) as [|N]; [exact None|].
    refine (Give Div _ eq_refl _ _ (Trace.quotient_partials x y N) _ _); simpl; field; exact N.
  - destruct (Rlt_dec 0 x) as [P|]; [|exact None].
    refine (Give Pow _ eq_refl _ _ (pow_partials x y P) _ _); simpl; unfold truth; replace (0 / 1) with 0 by field.
    + replace (1 / 1) with 1 by field. destruct (Req_EM_T y 0) as [->|].
      * destruct (Req_EM_T 1 1); [|lra]. destruct (Req_EM_T x 0); [lra|]. destruct (Req_EM_T 0 1); [lra|]. ring.
      * destruct (Req_EM_T 0 1); [lra | reflexivity].
    + destruct (Req_EM_T x 0); [lra|]. destruct (Req_EM_T 0 1); [lra | reflexivity].
  - destruct (Req_EM_T x y) as [|N]; [exact None|].
    refine (Give Max _ eq_refl _ _ (max_partials x y N) _ _); simpl; unfold truth;
      decide_all; lra.
  - destruct (Req_EM_T x y) as [|N]; [exact None|].
    refine (Give Min _ eq_refl _ _ (min_partials x y N) _ _); simpl; unfold truth;
      decide_all; lra.
  - destruct (Rlt_dec 0 y) as [P|N].
    + refine (Give Atan2 _ eq_refl _ _ (atan2_partials x y (or_intror P)) _ _); simpl;
        replace (1 / 1) with 1 by field; rewrite over_square by (right; lra); reflexivity.
    + destruct (Req_EM_T x 0) as [|M]; [exact None|].
      refine (Give Atan2 _ eq_refl _ _ (atan2_partials x y (or_introl M)) _ _); simpl;
        replace (1 / 1) with 1 by field; rewrite over_square by (left; lra); reflexivity.
  - destruct (Req_EM_T (x * x + y * y) 0) as [|M]; [exact None|].
    assert (X : x <> 0 \/ y <> 0) by (destruct (Req_EM_T x 0) as [->|]; [right; intros ->; apply M; ring | now left]).
    refine (Give Hypot _ eq_refl _ _ (hypot_partials x y X) _ _); simpl; unfold truth; replace (0 / 1) with 0 by field;
      destruct (Req_EM_T (hypot x y) 0); try (now destruct (hypot_not_0 x y X)); destruct (Req_EM_T 0 1); lra.
  - destruct (Rlt_dec 0 y) as [P|]; [|exact None].
    refine (Give Xlogy _ eq_refl _ _ (xlogy_partials x y P) _ _); simpl; [reflexivity|]. unfold truth.
    replace (0 / 1) with 0 by field. destruct (Rle_dec y 0); [lra|]. destruct (Req_EM_T 0 1); lra.
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
  intro D. evar_last; [apply (is_derive_comp (fun x => value2 PowInt x (IZR z)) (at_point f)); [exact D | apply derived] | reflexivity].
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
