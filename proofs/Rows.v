(** * The partial derivatives of the primitive table are right

    Code: crates/prim/src/table.rs, by way of [Table], which is generated from it; its meaning is in [Values].

    Proved: for each smooth row and each argument that is a real, the term in the table is the derivative of the
    primitive, wherever the domain of the row says that there is one: [rows_of_one] here, and
    [rows_of_two] and [rows_with_an_integer] in [RowsOfTwo]. The rows of the gamma function hold for each function that has the
    derivatives which the gamma function has ([polygamma_derivatives]).

    One row says less than the table: [tan] has poles, where the cosine is zero; the table says "everywhere", as no
    number of the machine is a pole. *)
From Coq Require Import Reals ZArith List Psatz.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table Values ErrorFunction.
Import ListNotations.
Open Scope R_scope.

(** ** Derivatives that the library lacks *)
Lemma cosh_pos x : 0 < cosh x.
Proof. unfold cosh. pose proof (exp_pos x). pose proof (exp_pos (- x)). lra. Qed.

Lemma exp_inverse x : exp x * exp (- x) = 1.
Proof. rewrite <- exp_plus, Rplus_opp_r. apply exp_0. Qed.

Lemma cosh_square x : cosh x * cosh x = 1 + sinh x * sinh x.
Proof. unfold cosh, sinh. pose proof (exp_inverse x). nra. Qed.

Lemma derive_sinh x : is_derive sinh x (cosh x).
Proof. apply is_derive_Reals, derivable_pt_lim_sinh. Qed.

Lemma derive_cosh x : is_derive cosh x (sinh x).
Proof. apply is_derive_Reals, derivable_pt_lim_cosh. Qed.

Lemma derive_quotient f g x a b : is_derive f x a -> is_derive g x b -> g x <> 0 ->
  is_derive (fun x => f x / g x) x ((a * g x - f x * b) / (g x * g x)).
Proof.
  intros. evar_last. { apply is_derive_div; eauto. }
  simpl. unfold minus, plus, opp, mult, scal; simpl. unfold mult; simpl. field. auto.
Qed.

(** A function that is [g] between two numbers around [x] has the derivative of [g] there. *)
Lemma derive_between (a b : R) (f g : R -> R) x l : a < x < b -> (forall t, a < t < b -> f t = g t) ->
  is_derive g x l -> is_derive f x l.
Proof.
  intros [A B] E D. apply (is_derive_ext_loc g f); [|exact D].
  apply (locally_interval _ x a b); simpl; auto. intros t ? ?. symmetry. auto.
Qed.

Lemma derive_constant c x : is_derive (fun _ : R => c) x 0.
Proof. apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) c x). Qed.

Lemma Int_part_unique n x : x - 1 < IZR n <= x -> Int_part x = n.
Proof.
  intro H. unfold Int_part. rewrite <- (tech_up x (n + 1)); [ring | |]; rewrite plus_IZR; simpl; lra.
Qed.

Lemma floor_between n x : IZR n <= x < IZR n + 1 -> floor x = IZR n.
Proof. intro H. unfold floor. f_equal. apply Int_part_unique. lra. Qed.

Lemma floor_bounds x : floor x <= x < floor x + 1.
Proof. unfold floor. destruct (base_Int_part x). lra. Qed.

Lemma Int_part_IZR n : Int_part (IZR n) = n.
Proof. apply Int_part_unique. lra. Qed.

Lemma sign_pos x : 0 < x -> sign x = 1.
Proof. intro. unfold sign. destruct (Rlt_dec 0 x); [reflexivity | lra]. Qed.

Lemma sign_neg x : x < 0 -> sign x = -1.
Proof. intro. unfold sign. destruct (Rlt_dec 0 x), (Rlt_dec x 0); lra. Qed.

(** ** Rows that jump *)
Lemma derive_sign x : x <> 0 -> is_derive sign x 0.
Proof.
  intro H. destruct (Rlt_dec 0 x).
  - apply (derive_between 0 (x + 1) _ (fun _ => 1)); [lra | | apply derive_constant]. intros t T. apply sign_pos. lra.
  - apply (derive_between (x - 1) 0 _ (fun _ => -1)); [lra | | apply derive_constant]. intros t T. apply sign_neg. lra.
Qed.

Lemma derive_floor x : x <> floor x -> is_derive floor x 0.
Proof.
  intro H. pose proof (floor_bounds x) as B.
  apply (derive_between (floor x) (floor x + 1) _ (fun _ => floor x)); [lra | | apply derive_constant].
  intros t T. change (floor x) with (IZR (Int_part x)) in *. apply floor_between. lra.
Qed.

Lemma floor_opp x : x <> floor x -> - x <> floor (- x).
Proof.
  intros H E. apply H. assert (F : x = IZR (- Int_part (- x))) by (rewrite opp_IZR; unfold floor in E; lra).
  rewrite F at 2. unfold floor. now rewrite Int_part_IZR.
Qed.

Lemma derive_abs x : x <> 0 -> is_derive Rabs x (sign x).
Proof.
  intro H. destruct (Rlt_dec 0 x).
  - rewrite sign_pos by assumption. apply (derive_between 0 (x + 1) _ (fun t => t)); [lra | | apply @is_derive_id].
    intros t T. apply Rabs_right. lra.
  - rewrite sign_neg by lra. apply (derive_between (x - 1) 0 _ (fun t => - t)); [lra | | auto_derive; [exact I | ring]].
    intros t T. apply Rabs_left. lra.
Qed.

Lemma derive_round x : Rabs x + 1 / 2 <> floor (Rabs x + 1 / 2) -> is_derive round x 0.
Proof.
  intro H. unfold round. destruct (Req_EM_T x 0) as [Z | N].
  - subst. apply (derive_between (-1 / 2) (1 / 2) _ (fun _ => 0)); [lra | | apply derive_constant].
    intros t T. rewrite (floor_between 0); [ring|]. simpl. assert (Rabs t < 1 / 2) by (apply Rabs_def1; lra).
    pose proof (Rabs_pos t). lra.
  - evar_last.
    + apply (is_derive_mult sign (fun t => floor (Rabs t + 1 / 2))); [now apply derive_sign | | intros; apply Rmult_comm].
      apply (is_derive_comp floor (fun t => Rabs t + 1 / 2)); [now apply derive_floor|].
      apply (is_derive_plus Rabs (fun _ => 1 / 2)); [now apply derive_abs | apply derive_constant].
    + unfold plus, mult, scal; simpl. unfold mult; simpl. ring.
Qed.

(** ** Rows of one argument *)
Lemma derive_tan x : cos x <> 0 -> is_derive tan x (1 + tan x * tan x).
Proof.
  intro C. unfold tan. evar_last.
  - apply (derive_quotient sin cos).
    + apply is_derive_Reals, derivable_pt_lim_sin.
    + apply is_derive_Reals, derivable_pt_lim_cos.
    + exact C.
  - field. exact C.
Qed.

Lemma derive_tanh x : is_derive tanh x (/ (cosh x * cosh x)).
Proof.
  pose proof (cosh_pos x). evar_last.
  - apply (derive_quotient sinh cosh); [apply derive_sinh | apply derive_cosh | lra].
  - replace (cosh x * cosh x - sinh x * sinh x) with 1 by (rewrite cosh_square; ring). field. lra.
Qed.

Lemma derive_sech2 x : is_derive (fun x => / (cosh x * cosh x)) x (-2 * (/ (cosh x * cosh x) * tanh x)).
Proof.
  pose proof (cosh_pos x). evar_last.
  - apply (is_derive_inv (fun x => cosh x * cosh x)); [|nra].
    apply (is_derive_mult cosh cosh); try apply derive_cosh. intros; apply Rmult_comm.
  - unfold plus, mult, opp, scal, tanh; simpl; unfold mult; simpl. field. lra.
Qed.

Lemma derive_cbrt x : x <> 0 -> is_derive cbrt x (1 / 3 / (cbrt x * cbrt x)).
Proof.
  intro N. assert (P : 0 < Rabs x) by now apply Rabs_pos_lt.
  assert (S : sign x = 1 \/ sign x = -1) by (destruct (Rlt_dec 0 x); [left; apply sign_pos | right; apply sign_neg]; lra).
  unfold cbrt. set (e := exp (ln (Rabs x) / 3)).
  assert (E : e * e * e = Rabs x).
  { unfold e. rewrite <- !exp_plus. replace (_ + _) with (ln (Rabs x)) by field. now apply exp_ln. }
  assert (0 < e) by apply exp_pos.
  evar_last.
  - apply (is_derive_mult sign (fun t => exp (ln (Rabs t) / 3))); [now apply derive_sign | | intros; apply Rmult_comm].
    apply (is_derive_comp (fun u => exp (ln u / 3)) Rabs); [|now apply derive_abs].
    auto_derive; [exact P | reflexivity].
  - unfold plus, mult, scal; simpl. unfold mult; simpl. fold e.
    change (exp (ln (Rabs x) * / 3)) with e.
    rewrite <- E. destruct S as [S | S]; rewrite S; field; lra.
Qed.

Lemma unit_bounds x : Rabs x < 1 -> -1 < x < 1.
Proof. intro H. apply Rabs_def2 in H. lra. Qed.

Lemma derive_asin x : Rabs x < 1 -> is_derive asin x (1 / sqrt ((1 - x) * (1 + x))).
Proof.
  intro H. apply unit_bounds in H. apply is_derive_Reals.
  apply (derive_pt_eq_1 _ _ _ (derivable_pt_asin x H)). rewrite derive_pt_asin. unfold Rsqr. do 2 f_equal. ring.
Qed.

Lemma derive_acos x : Rabs x < 1 -> is_derive acos x (-1 / sqrt ((1 - x) * (1 + x))).
Proof.
  intro H. apply unit_bounds in H. apply is_derive_Reals.
  apply (derive_pt_eq_1 _ _ _ (derivable_pt_acos x H)). rewrite derive_pt_acos. unfold Rsqr. do 2 f_equal. ring.
Qed.

Lemma derive_acosh x : 1 < x ->
  is_derive (fun x => ln (x + sqrt (x * x - 1))) x (1 / sinh (ln (x + sqrt (x * x - 1)))).
Proof.
  intro H. assert (Q : 0 < x * x - 1) by nra. set (s := sqrt (x * x - 1)).
  assert (S : 0 < s) by now apply sqrt_lt_R0. assert (SS : s * s = x * x - 1) by (apply sqrt_sqrt; lra).
  assert (E : sinh (ln (x + s)) = s).
  { unfold sinh. rewrite exp_Ropp, exp_ln by lra. apply (Rmult_eq_reg_r (2 * (x + s))); [|lra]. field_simplify; [nra | lra]. }
  rewrite E. auto_derive.
  - repeat split; try exact I; try lra.
    replace (x * x + - (1)) with (x * x - 1) by ring. fold s. lra.
  - replace (x * x + - (1)) with (x * x - 1) by ring. fold s. field. split; lra.
Qed.

Lemma derive_atanh x : Rabs x < 1 ->
  is_derive (fun x => ln ((1 + x) / (1 - x)) / 2) x (cosh (ln ((1 + x) / (1 - x)) / 2) * cosh (ln ((1 + x) / (1 - x)) / 2)).
Proof.
  intro H. apply unit_bounds in H. set (q := (1 + x) / (1 - x)).
  assert (Q : 0 < q) by (apply Rdiv_lt_0_compat; lra).
  set (w := exp (ln q / 2)). assert (W : w * w = q).
  { unfold w. rewrite <- exp_plus. replace (_ + _) with (ln q) by field. now apply exp_ln. }
  assert (0 < w) by apply exp_pos.
  assert (C : cosh (ln q / 2) * cosh (ln q / 2) = (q + 2 + / q) / 4).
  { unfold cosh. rewrite exp_Ropp. fold w. rewrite <- W. field. lra. }
  rewrite C. auto_derive.
  - repeat split; [lra | exact Q].
  - unfold q. field. lra.
Qed.

Lemma derive_sigmoid x : is_derive sigmoid x (sigmoid x * sigmoid (- x)).
Proof.
  unfold sigmoid. rewrite Ropp_involutive. pose proof (exp_pos x). pose proof (exp_pos (- x)).
  replace (exp x) with (/ exp (- x)) by (rewrite exp_Ropp; field; lra). auto_derive; [lra|]. field. lra.
Qed.

Lemma derive_softplus x : is_derive (fun x => ln (1 + exp x)) x (sigmoid x).
Proof.
  unfold sigmoid. pose proof (exp_pos x). auto_derive; [lra|]. rewrite exp_Ropp. field. lra.
Qed.

Lemma derive_arcsinh x : is_derive arcsinh x (1 / sqrt (1 * 1 + x * x)).
Proof.
  apply is_derive_Reals. evar_last; [apply derivable_pt_lim_arcsinh|].
  replace (1 * 1 + x * x) with (x ^ 2 + 1) by ring. unfold Rdiv. ring.
Qed.

(** What the derivatives of the gamma function have to be: [lgamma] has the derivative [polygamma 0], and so on. *)
Definition polygamma_derivatives (lgamma : R -> R) (polygamma : R -> R -> R) : Prop :=
  (forall x, (x > 0 \/ x <> floor x) -> is_derive lgamma x (polygamma 0 x)) /\
  (forall n x, (0 <= n)%Z -> (x > 0 \/ x <> floor x) -> is_derive (polygamma (IZR n)) x (polygamma (IZR n + 1) x)).

(** The poles of the tangent, which the domain of its row leaves out too. *)
Definition no_pole (p : prim) (x : R) : Prop := match p with Tan => cos x <> 0 | _ => True end.

Theorem rows_of_one lgamma polygamma p x : polygamma_derivatives lgamma polygamma -> no_pole p x ->
  match row p with
  | Some (d, [Some t]) => inside lgamma polygamma true x 0 d ->
      is_derive (value1 lgamma polygamma p) x
        (term_value lgamma polygamma x 0 (value1 lgamma polygamma p x) t)
  | _ => True
  end.
Proof.
  intros [G P] N. destruct p; simpl; try exact I; intro D; simpl in D; unfold value1 at 1; cbv beta iota.
  - auto_derive; [exact I | field].
  - apply derive_abs. lra.
  - apply derive_sign. lra.
  - apply derive_floor. exact D.
  - evar_last.
    + apply (is_derive_opp (fun x => floor (- x))). apply (is_derive_comp floor (fun x => - x)).
      * apply derive_floor. now apply floor_opp.
      * auto_derive; [exact I | reflexivity].
    + unfold opp, scal; simpl. unfold mult; simpl. ring.
  - apply derive_round. replace (1 / 2) with (1 / 2) by reflexivity. exact D.
  - replace (0 / 1) with 0 in * by field. pose proof (sqrt_lt_R0 x D). auto_derive; [lra | field; lra].
  - apply derive_cbrt. lra.
  - auto_derive; [exact I | ring].
  - auto_derive; [exact I | ring].
  - replace (0 / 1) with 0 in * by field. unfold truth. destruct (Rgt_dec x 0); [|lra].
    destruct (Req_EM_T 1 1); [|lra]. auto_derive; [lra | field; lra].
  - unfold truth. destruct (Rge_dec x (-1 / 1)); [|lra]. destruct (Req_EM_T 1 1); [|lra].
    auto_derive; [lra | field; lra].
  - auto_derive; [exact I | ring].
  - auto_derive; [exact I | ring].
  - replace (1 / 1) with 1 by field. apply derive_tan. exact N.
  - replace (1 / 1) with 1 in * by field. apply derive_asin. lra.
  - replace (-1 / 1) with (-1) by field. replace (1 / 1) with 1 in * by field. apply derive_acos. lra.
  - auto_derive; [exact I | field; nra].
  - apply derive_sinh.
  - apply derive_cosh.
  - apply derive_tanh.
  - replace (-2 / 1) with (-2) by field. apply derive_sech2.
  - unfold hypot. replace (1 / 1) with 1 by field. apply derive_arcsinh.
  - replace (1 / 1) with 1 in * by field. apply derive_acosh. lra.
  - replace (1 / 1) with 1 in * by field. unfold pow_int. rewrite (Int_part_IZR 2). simpl. rewrite Rmult_1_r.
    apply derive_atanh. lra.
  - replace (- (x * x)) with (- (x * x)) by reflexivity. apply d_erf.
  - evar_last.
    + apply (is_derive_minus (fun _ => 1) erf); [apply derive_constant | apply d_erf].
    + unfold minus, plus, opp; simpl. unfold gs. rewrite Rplus_0_l. apply Ropp_mult_distr_l.
  - apply G. replace (0 / 1) with 0 in D by field. exact D.
  - replace 1 with (IZR 0 + 1) at 1 by (simpl; ring). apply (P 0%Z); [lia|].
    replace (0 / 1) with 0 in D by field. exact D.
  - apply derive_sigmoid.
  - apply derive_softplus.
Qed.

