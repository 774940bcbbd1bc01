(** * Primitives of two arguments, both of which move

    Continues [RowsOfTwo]. There each argument moves while the other is held. Here both move along curves, and the partial
    derivatives of the row give the derivative by the chain rule: [rows_together]. This is what the theorems on traces and on
    the reference implementation ask of a primitive. [pow] is left out where its base is not positive. *)
From Coq Require Import Reals ZArith List Psatz.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table Values Rows RowsOfTwo.
From Pullback Require Trace.
Import ListNotations.
Open Scope R_scope.

Notation partials := Trace.partials.

Lemma partials_local f g a b fx fy : partials g a b fx fy -> f a b = g a b ->
  (forall (u v : R -> R) t, u t = a -> v t = b -> continuous u t -> continuous v t -> locally t
    (fun t => g (u t) (v t) = f (u t) (v t))) ->
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
    intros u v t <- <- U V. generalize (locally_less u v t U V L). apply filter_imp. intros s S. symmetry. apply Rmax_right.
      lra.
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

Lemma rem_partials a b : rem a b <> 0 -> partials rem a b 1 (round ((rem a b - a) / b)).
Proof.
  intro H. apply rem_inside in H as (Y & N & E). set (k := Int_part (a / b)).
  assert (K : floor (a / b) = IZR k) by reflexivity.
  assert (S : round ((rem a b - a) / b) = - IZR k).
  { rewrite E, K. replace ((a - b * IZR k - a) / b) with (IZR (- k)) by (rewrite opp_IZR; field; exact Y).
    rewrite round_IZR. apply opp_IZR. }
  rewrite S. apply (partials_local _ (fun x y => x - y * IZR k)).
  - intros u v t du dv _ _ Du Dv. evar_last.
    + apply (is_derive_minus u (fun t => v t * IZR k)); [exact Du|].
      apply (is_derive_ext (fun t => IZR k * v t)); [intro; apply Rmult_comm | apply (is_derive_scal v); exact Dv].
    + unfold minus, plus, opp, scal; simpl. unfold mult; simpl. ring.
  - now rewrite E, K.
  - intros u v t <- <- U V. pose proof (floor_bounds (u t / v t)) as B.
    assert (Q : continuous (fun t => u t / v t) t).
    { apply (continuous_mult u (fun t => / v t)); [exact U|].
      apply (continuous_comp v Rinv); [exact V | apply continuous_Rinv; exact Y]. }
    assert (L : floor (u t / v t) < u t / v t) by lra.
    assert (Z : locally t (fun s => v s <> 0)).
    { destruct (Rlt_dec 0 (v t)) as [P|P].
      - generalize (locally_less (fun _ => 0) v t (continuous_const 0 t) V P). apply filter_imp. intros; lra.
      - assert (P' : v t < 0) by lra.
        generalize (locally_less v (fun _ => 0) t V (continuous_const 0 t) P'). apply filter_imp. intros; lra. }
    generalize (filter_and _ _ Z (filter_and _ _
      (locally_less (fun _ => floor (u t / v t)) _ t (continuous_const _ t) Q L)
      (locally_less _ (fun _ => floor (u t / v t) + 1) t Q (continuous_const _ t) (proj2 B)))).
    apply filter_imp. intros s (ZS & L1 & L2). unfold rem. destruct (Req_EM_T (v s) 0); [contradiction|].
    rewrite (floor_between k); [reflexivity|]. change (floor (u t / v t)) with (IZR k) in L1, L2. lra.
Qed.

(** Both answers of each comparison of numbers. *)
Ltac decide_all := repeat match goal with
  | |- context [Req_EM_T ?a ?b] => lazymatch a with if _ then _ else _ => fail | _ => destruct (Req_EM_T a b); try lra end
  | |- context [Rgt_dec ?a ?b] => destruct (Rgt_dec a b); try lra
  | |- context [Rlt_dec ?a ?b] => destruct (Rlt_dec a b); try lra
  | |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b); try lra
  end.

Lemma partials_same f a b fx fy gx gy : partials f a b gx gy -> fx = gx -> fy = gy -> partials f a b fx fy.
Proof. now intros P -> ->. Qed.

(** Where both arguments may move: everywhere in the domain of the row, but for powers. *)
Definition covered (p : prim) (x : R) : Prop := match p with Pow => 0 < x | _ => True end.

Theorem rows_together lgamma polygamma p x y : covered p x ->
  match row p with
  | Some (d, [Some t; Some u]) => inside lgamma polygamma true x y d -> inside lgamma polygamma false x y d ->
      partials (value2 polygamma p) x y (term_value lgamma polygamma x y (value2 polygamma p x y) t)
        (term_value lgamma polygamma x y (value2 polygamma p x y) u)
  | _ => True
  end.
Proof.
  intro C. destruct p; simpl; try exact I; intros D D'; simpl in C; try replace (0 / 1) with 0 in * by field.
  - eapply partials_same; [apply Trace.sum_partials | field ..].
  - eapply partials_same; [apply Trace.difference_partials | field ..].
  - apply Trace.product_partials.
  - eapply partials_same; [apply Trace.quotient_partials; exact D | field; exact D ..].
  - replace (1 / 1) with 1 by field. apply rem_partials. apply D.
  - eapply partials_same; [apply pow_partials; exact C | |]; unfold truth; replace (1 / 1) with 1 by field.
    + destruct (Req_EM_T y 0) as [->|]; decide_all; try reflexivity; ring.
    + decide_all; try reflexivity; lra.
  - eapply partials_same; [apply max_partials; exact D | |]; unfold truth; decide_all; try reflexivity; lra.
  - eapply partials_same; [apply min_partials; exact D | |]; unfold truth; decide_all; try reflexivity; lra.
  - replace (1 / 1) with 1 by field. rewrite !over_square by (destruct D; [now left | right; lra]).
    apply atan2_partials. destruct D; [now left | right; lra].
  - pose proof (hypot_not_0 x y D). eapply partials_same; [apply hypot_partials; exact D | |]; unfold truth; decide_all;
    try reflexivity; lra.
  - eapply partials_same; [apply xlogy_partials; lra | |]; unfold truth; decide_all; try reflexivity; lra.
Qed.
