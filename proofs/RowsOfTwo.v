(** * The partial derivatives of primitives of two arguments are right

    Continues [Rows]: [rows_of_two] for two reals, [rows_with_an_integer] for a real and an integer. Each partial
    derivative is one by its own argument, while the other one is held. *)
From Coq Require Import Reals ZArith List Psatz.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table Values Rows.
Import ListNotations.
Open Scope R_scope.

(** ** Remainders *)
Lemma round_IZR n : round (IZR n) = IZR n.
Proof.
  unfold round. destruct (Rtotal_order (IZR n) 0) as [L | [E | L]].
  - rewrite sign_neg, Rabs_left, <- opp_IZR by lra. rewrite (floor_between (- n)) by lra. rewrite opp_IZR. ring.
  - rewrite E, Rabs_R0, (floor_between 0) by (simpl; lra). apply Rmult_0_r.
  - rewrite sign_pos, Rabs_right by lra. rewrite (floor_between n) by lra. ring.
Qed.

Lemma rem_inside x y : rem x y <> 0 -> y <> 0 /\ x / y <> floor (x / y) /\ rem x y = x - y * floor (x / y).
Proof.
  unfold rem. destruct (Req_EM_T y 0); [lra|]. intro H. repeat split; auto.
  intro E. apply H. rewrite <- E. field. auto.
Qed.

Lemma derive_rem_1 x y : rem x y <> 0 -> is_derive (fun x => rem x y) x 1.
Proof.
  intro H. apply rem_inside in H as (Y & F & _).
  apply (is_derive_ext (fun x => x - y * floor (x / y))).
  { intro t. unfold rem. destruct (Req_EM_T y 0); [contradiction | reflexivity]. }
  evar_last.
  - apply (is_derive_minus (fun x => x) (fun x => y * floor (x / y))); [apply @is_derive_id|].
    apply (is_derive_scal (fun x => floor (x / y))). apply (is_derive_comp floor (fun x => x / y)).
    + now apply derive_floor.
    + auto_derive; [exact I | reflexivity].
  - unfold minus, plus, opp, scal, one; simpl. unfold mult; simpl. ring.
Qed.

Lemma locally_not_zero y : y <> 0 -> locally y (fun t => t <> 0).
Proof.
  intro H. destruct (Rlt_dec 0 y).
  - apply (locally_interval _ y 0 (y + 1)); simpl; [lra | lra |]. intros; lra.
  - apply (locally_interval _ y (y - 1) 0); simpl; [lra | lra |]. intros; lra.
Qed.

Lemma derive_rem_2 x y : rem x y <> 0 -> is_derive (fun y => rem x y) y (round ((rem x y - x) / y)).
Proof.
  intro H. apply rem_inside in H as (Y & F & E).
  replace (round ((rem x y - x) / y)) with (- floor (x / y)).
  2: { rewrite E. replace ((x - y * floor (x / y) - x) / y) with (IZR (- Int_part (x / y))).
       - rewrite round_IZR, opp_IZR. reflexivity.
       - rewrite opp_IZR. unfold floor. field. exact Y. }
  apply (is_derive_ext_loc (fun y => x - y * floor (x / y))).
  { apply (filter_imp (fun t => t <> 0)); [|now apply locally_not_zero].
    intros t T. unfold rem. destruct (Req_EM_T t 0); [contradiction | reflexivity]. }
  evar_last.
  - apply (is_derive_minus (fun _ => x) (fun y => y * floor (x / y))); [apply derive_constant|].
    apply (is_derive_mult (fun y => y) (fun y => floor (x / y))); [apply @is_derive_id | | intros; apply Rmult_comm].
    apply (is_derive_comp floor (fun y => x / y)).
    + now apply derive_floor.
    + auto_derive; [exact Y | reflexivity].
  - unfold minus, plus, opp, scal, one; simpl. unfold mult; simpl. ring.
Qed.

Lemma derive_powerRZ x n : x <> 0 -> is_derive (fun x => powerRZ x n) x (IZR n * powerRZ x (n - 1)).
Proof.
  intro H. assert (S : powerRZ x (n - 1) = powerRZ x n / x).
  { unfold Z.sub. rewrite powerRZ_add by exact H. simpl. field. exact H. }
  rewrite S. destruct n as [|p|p]; simpl.
  - evar_last; [apply derive_constant | field; exact H].
  - evar_last; [apply (is_derive_pow (fun x => x) (Pos.to_nat p)); apply @is_derive_id|].
    unfold one; simpl. rewrite INR_IZR_INZ, positive_nat_Z.
    destruct (Pos.to_nat p) eqn:E; [lia|]. simpl. field. exact H.
  - assert (X : x ^ Pos.to_nat p <> 0) by now apply pow_nonzero.
    evar_last.
    + apply (is_derive_inv (fun x => x ^ Pos.to_nat p)); [|exact X].
      apply (is_derive_pow (fun x => x) (Pos.to_nat p)). apply @is_derive_id.
    + unfold one; simpl. rewrite INR_IZR_INZ, positive_nat_Z. change (IZR (Z.neg p)) with (IZR (- Z.pos p)).
      rewrite opp_IZR. destruct (Pos.to_nat p) eqn:E; [lia|]. simpl in *. field.
      split; [|exact H]. intro Z. apply X. rewrite Z. ring.
Qed.

(** A power of a base that is positive. *)
Lemma pow_positive x y : 0 < x -> pow x y = exp (y * ln x).
Proof. intro H. unfold pow. destruct (Rlt_dec 0 x); [reflexivity | lra]. Qed.

Lemma derive_pow_1 x y : 0 < x -> is_derive (fun x => pow x y) x (y * pow x (y - 1)).
Proof.
  intro H. rewrite pow_positive by exact H.
  apply (derive_between 0 (x + 1) _ (fun x => exp (y * ln x))); [lra | intros; apply pow_positive; lra |].
  auto_derive; [exact H|]. replace ((y - 1) * ln x) with (y * ln x + - ln x) by ring.
  rewrite exp_plus, exp_Ropp, exp_ln by exact H. field. lra.
Qed.

Lemma derive_pow_2 x y : 0 < x -> is_derive (fun y => pow x y) y (pow x y * ln x).
Proof.
  intro H. rewrite pow_positive by exact H. apply (is_derive_ext (fun y => exp (y * ln x))).
  { intro t. now rewrite pow_positive. }
  auto_derive; [exact I | ring].
Qed.

Lemma pow_integer x n : x < 0 -> pow x (IZR n) = powerRZ x n.
Proof.
  intro H. unfold pow. destruct (Rlt_dec 0 x); [lra|]. destruct (Req_EM_T (IZR n) 0) as [E|_].
  - apply (eq_IZR n 0) in E. now subst.
  - destruct (Req_EM_T x 0); [lra|]. rewrite (floor_between n) by lra.
    destruct (Req_EM_T (IZR n) (IZR n)); [|contradiction]. now rewrite Int_part_IZR.
Qed.

Lemma derive_pow_negative x y : x < 0 -> y = floor y -> is_derive (fun x => pow x y) x (y * pow x (y - 1)).
Proof.
  intros H E. unfold floor in E. set (n := Int_part y) in *. rewrite E.
  replace (IZR n - 1) with (IZR (n - 1)) by (rewrite minus_IZR; reflexivity). rewrite pow_integer by exact H.
  apply (derive_between (x - 1) 0 _ (fun x => powerRZ x n)); [lra | intros; apply pow_integer; lra |].
  apply derive_powerRZ. lra.
Qed.

(** At 0, for exponents from 1 on; a negative base whose power is no number counts as 0. *)
Lemma pow_small t y : t <> 0 -> Rabs (pow t y) <= exp (y * ln (Rabs t)).
Proof.
  intro N. unfold pow. destruct (Rlt_dec 0 t).
  { rewrite (Rabs_right t) by lra. rewrite Rabs_right; [lra|]. left. apply exp_pos. }
  destruct (Req_EM_T y 0); [subst; rewrite Rmult_0_l, exp_0, Rabs_R1; lra|].
  destruct (Req_EM_T t 0); [contradiction|].
  destruct (Req_EM_T y (floor y)) as [F|_]; [|rewrite Rabs_R0; left; apply exp_pos].
  assert (P : forall k, Rabs (t ^ k) = Rabs t ^ k) by (intro; symmetry; apply RPow_abs).
  assert (Q : Rabs (powerRZ t (Int_part y)) = powerRZ (Rabs t) (Int_part y)).
  { destruct (Int_part y); simpl; [apply Rabs_R1 | apply P |]. rewrite Rabs_inv, P. reflexivity. }
  rewrite Q, powerRZ_Rpower by now apply Rabs_pos_lt. unfold Rpower, floor in *. rewrite <- F. lra.
Qed.

Lemma derive_pow_at_0 y : 1 <= y -> is_derive (fun x => pow x y) 0 (y * pow 0 (y - 1)).
Proof.
  intro H. destruct (Req_EM_T y 1) as [E | N].
  - subst y. replace (1 * pow 0 (1 - 1)) with 1.
    2: { unfold pow. destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T (1 - 1) 0); lra. }
    apply (is_derive_ext (fun t => t)); [|apply @is_derive_id]. intro t. unfold pow. destruct (Rlt_dec 0 t).
    + rewrite Rmult_1_l, exp_ln; auto.
    + destruct (Req_EM_T 1 0); [lra|]. destruct (Req_EM_T t 0); [auto|].
      rewrite (floor_between 1) by lra. destruct (Req_EM_T 1 1); [|lra]. rewrite (Int_part_IZR 1). simpl. symmetry. apply Rmult_1_r.
  - assert (Z : pow 0 (y - 1) = 0).
    { unfold pow. destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T (y - 1) 0); [lra|].
      destruct (Req_EM_T 0 0); [reflexivity | lra]. }
    assert (Z' : pow 0 y = 0).
    { unfold pow. destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T y 0); [lra|].
      destruct (Req_EM_T 0 0); [reflexivity | lra]. }
    rewrite Z, Rmult_0_r. apply is_derive_Reals. intros eps Eps.
    exists (mkposreal _ (exp_pos (ln eps / (y - 1)))). simpl. intros h Hn Hd.
    rewrite Rplus_0_l, Z'. unfold Rminus. rewrite Ropp_0, !Rplus_0_r.
    assert (A : 0 < Rabs h) by now apply Rabs_pos_lt.
    unfold Rdiv. rewrite Rabs_mult, Rabs_inv.
    apply (Rle_lt_trans _ (exp (y * ln (Rabs h)) * / Rabs h)).
    { apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | now apply pow_small]. }
    replace (/ Rabs h) with (exp (- ln (Rabs h))) by (rewrite exp_Ropp, exp_ln; auto).
    rewrite <- exp_plus. rewrite <- (exp_ln eps) by exact Eps. apply exp_increasing.
    assert (L : ln (Rabs h) < ln eps / (y - 1)).
    { rewrite <- (ln_exp (ln eps / (y - 1))). now apply ln_increasing. }
    apply (Rmult_lt_compat_r (y - 1)) in L; [|lra]. replace (ln eps / (y - 1) * (y - 1)) with (ln eps) in L by (field; lra). lra.
Qed.

Lemma derive_pow_base_0 y : y > 0 -> is_derive (fun y => pow 0 y) y 0.
Proof.
  intro H. apply (derive_between 0 (y + 1) _ (fun _ => 0)); [lra | | apply derive_constant].
  intros t T. unfold pow. destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T t 0); [lra|].
  destruct (Req_EM_T 0 0); [reflexivity | lra].
Qed.

(** The larger and the smaller of two numbers *)
Lemma derive_max_less x y : x < y -> is_derive (fun x => Rmax x y) x 0.
Proof.
  intro H. apply (derive_between (x - 1) y _ (fun _ => y)); [lra | | apply derive_constant].
  intros t T. apply Rmax_right. lra.
Qed.

Lemma derive_max_more x y : y < x -> is_derive (fun x => Rmax x y) x 1.
Proof.
  intro H. apply (derive_between y (x + 1) _ (fun t => t)); [lra | | apply @is_derive_id].
  intros t T. apply Rmax_left. lra.
Qed.

Lemma derive_min_less x y : x < y -> is_derive (fun x => Rmin x y) x 1.
Proof.
  intro H. apply (derive_between (x - 1) y _ (fun t => t)); [lra | | apply @is_derive_id].
  intros t T. apply Rmin_left. lra.
Qed.

Lemma derive_min_more x y : y < x -> is_derive (fun x => Rmin x y) x 0.
Proof.
  intro H. apply (derive_between y (x + 1) _ (fun _ => y)); [lra | | apply derive_constant].
  intros t T. apply Rmin_right. lra.
Qed.

(** Angles *)
Lemma atan_ratio x y : 0 < x -> 0 < y -> atan (y / x) = PI / 2 - atan (x / y).
Proof.
  intros X Y. replace (y / x) with (/ (x / y)) by (field; lra). apply atan_inv. now apply Rdiv_lt_0_compat.
Qed.

Lemma atan2_right y x : 0 < x -> atan2 y x = atan (y / x).
Proof. intro H. unfold atan2. destruct (Rlt_dec 0 x); [reflexivity | lra]. Qed.

Lemma atan2_above y x : 0 < y -> atan2 y x = PI / 2 - atan (x / y).
Proof.
  intro H. unfold atan2. destruct (Rlt_dec 0 x); [now apply atan_ratio|]. destruct (Rlt_dec 0 y); [reflexivity | lra].
Qed.

Lemma atan2_below y x : y < 0 -> atan2 y x = - (PI / 2) - atan (x / y).
Proof.
  intro H. unfold atan2. destruct (Rlt_dec 0 x).
  - replace (y / x) with (- (- y / x)) by (field; lra). replace (x / y) with (- (x / - y)) by (field; lra).
    rewrite !atan_opp, atan_ratio by lra. ring.
  - destruct (Rlt_dec 0 y); [lra|]. destruct (Rlt_dec y 0); [reflexivity | lra].
Qed.

Lemma hypot_square x y : hypot x y * hypot x y = x * x + y * y.
Proof. unfold hypot. apply sqrt_sqrt. nra. Qed.

Lemma derive_atan2_1 y x : y <> 0 \/ x > 0 -> is_derive (fun y => atan2 y x) y (x / (y * y + x * x)).
Proof.
  intros [H | H].
  - destruct (Rlt_dec 0 y).
    + apply (derive_between 0 (y + 1) _ (fun y => PI / 2 - atan (x / y))); [lra | intros; apply atan2_above; lra |].
      auto_derive; [lra | field; repeat split; nra].
    + apply (derive_between (y - 1) 0 _ (fun y => - (PI / 2) - atan (x / y))); [lra | intros; apply atan2_below; lra |].
      auto_derive; [lra | field; repeat split; nra].
  - apply (is_derive_ext (fun y => atan (y / x))); [intro t; now rewrite atan2_right|].
    auto_derive; [exact I | field; repeat split; nra].
Qed.

Lemma derive_atan2_2 y x : y <> 0 \/ x > 0 -> is_derive (fun x => atan2 y x) x (- (y / (y * y + x * x))).
Proof.
  intros [H | H].
  - destruct (Rlt_dec 0 y).
    + apply (is_derive_ext (fun x => PI / 2 - atan (x / y))); [intro t; now rewrite atan2_above|].
      auto_derive; [exact I | field; repeat split; nra].
    + apply (is_derive_ext (fun x => - (PI / 2) - atan (x / y))); [intro t; rewrite atan2_below; lra|].
      auto_derive; [exact I | field; repeat split; nra].
  - apply (derive_between 0 (x + 1) _ (fun x => atan (y / x))); [lra | intros; apply atan2_right; lra |].
    auto_derive; [lra | field; repeat split; nra].
Qed.

Lemma over_square z x y : x <> 0 \/ y <> 0 ->
  z * (1 / hypot x y) * (1 / hypot x y) = z / (x * x + y * y).
Proof.
  intro H. rewrite <- hypot_square. assert (hypot x y <> 0).
  { intro E. pose proof (hypot_square x y) as S. rewrite E in S. destruct H; nra. }
  field. assumption.
Qed.

Lemma derive_hypot_1 x y : x <> 0 \/ y <> 0 -> is_derive (fun x => hypot x y) x (x / hypot x y).
Proof.
  intro H. assert (P : 0 < x * x + y * y) by (destruct H; nra). pose proof (sqrt_lt_R0 _ P). unfold hypot.
  auto_derive; [exact P | field; lra].
Qed.

Lemma derive_hypot_2 x y : x <> 0 \/ y <> 0 -> is_derive (fun y => hypot x y) y (y / hypot x y).
Proof.
  intro H. assert (P : 0 < x * x + y * y) by (destruct H; nra). pose proof (sqrt_lt_R0 _ P). unfold hypot.
  auto_derive; [exact P | field; lra].
Qed.

Lemma hypot_not_0 x y : x <> 0 \/ y <> 0 -> hypot x y <> 0.
Proof. intros H E. pose proof (hypot_square x y) as S. rewrite E in S. destruct H; nra. Qed.

(** ** The rows *)
Ltac conditions :=
  replace (0 / 1) with 0 in * by field; replace (1 / 1) with 1 in * by field; replace (-1 / 1) with (-1) in * by field;
  unfold truth in *;
  repeat match goal with
  | |- context [Req_EM_T ?a ?b] => first [is_var a | constr_eq a 0 | constr_eq a 1]; destruct (Req_EM_T a b); try lra
  | |- context [Rlt_dec ?a ?b] => destruct (Rlt_dec a b); try lra
  | |- context [Rgt_dec ?a ?b] => destruct (Rgt_dec a b); try lra
  | |- context [Rge_dec ?a ?b] => destruct (Rge_dec a b); try lra
  | |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b); try lra
  end.

(** The derivatives of a row by both arguments. *)
Theorem rows_of_two lgamma polygamma p x y :
  match row p with
  | Some (d, [Some t; Some u]) =>
      (inside lgamma polygamma true x y d ->
       is_derive (fun x => value2 polygamma p x y) x (term_value lgamma polygamma x y (value2 polygamma p x y) t)) /\
      (inside lgamma polygamma false x y d ->
       is_derive (fun y => value2 polygamma p x y) y (term_value lgamma polygamma x y (value2 polygamma p x y) u))
  | _ => True
  end.
Proof.
  destruct p; simpl; try exact I; split; intro D.
  - auto_derive; [exact I | field].
  - auto_derive; [exact I | field].
  - auto_derive; [exact I | field].
  - auto_derive; [exact I | field].
  - auto_derive; [exact I | field].
  - auto_derive; [exact I | field].
  - auto_derive; [exact I | field; lra].
  - replace (0 / 1) with 0 in D by field. auto_derive; [exact D | field; exact D].
  - replace (0 / 1) with 0 in D by field. replace (1 / 1) with 1 by field. apply derive_rem_1. apply D.
  - replace (0 / 1) with 0 in D by field. apply derive_rem_2. apply D.
  - replace (0 / 1) with 0 in * by field. replace (1 / 1) with 1 in * by field.
    unfold truth. destruct (Req_EM_T x 0); [lra|]. replace (if Req_EM_T 0 1 then 0 else y * pow x (y - 1)) with (y * pow x (y - 1)) by (destruct (Req_EM_T 0 1); lra).
    destruct (Req_EM_T _ 1); now apply derive_pow_1.
  - replace (0 / 1) with 0 in * by field. unfold truth.
    destruct (Req_EM_T x 0); [lra|]. destruct (Req_EM_T 0 1); [lra|]. now apply derive_pow_2.
  - conditions; first [apply derive_max_more; lra | apply derive_max_less; lra].
  - conditions; apply (is_derive_ext (fun y => Rmax y x)); try (intro; apply Rmax_comm);
      first [apply derive_max_more; lra | apply derive_max_less; lra].
  - conditions; first [apply derive_min_more; lra | apply derive_min_less; lra].
  - conditions; apply (is_derive_ext (fun y => Rmin y x)); try (intro; apply Rmin_comm);
      first [apply derive_min_more; lra | apply derive_min_less; lra].
  - replace (0 / 1) with 0 in D by field. replace (1 / 1) with 1 by field.
    rewrite over_square by (destruct D; [left | right]; lra). now apply derive_atan2_1.
  - replace (0 / 1) with 0 in D by field. replace (1 / 1) with 1 by field.
    rewrite over_square by (destruct D; [left | right]; lra). now apply derive_atan2_2.
  - replace (0 / 1) with 0 in * by field. pose proof (hypot_not_0 x y D). unfold truth.
    destruct (Req_EM_T (hypot x y) 0); [contradiction|]. destruct (Req_EM_T 0 1); [lra|]. now apply derive_hypot_1.
  - replace (0 / 1) with 0 in * by field. pose proof (hypot_not_0 x y D). unfold truth.
    destruct (Req_EM_T (hypot x y) 0); [contradiction|]. destruct (Req_EM_T 0 1); [lra|]. now apply derive_hypot_2.
  - auto_derive; [exact I | ring].
  - conditions; (auto_derive; [lra | field; lra]).
Qed.

(** Outside the open set of its row a power may have a derivative by one argument alone: the term of the row gives it. *)
Theorem power_by_base lgamma polygamma x y : (y = floor y /\ x < 0) \/ (x = 0 /\ y >= 1) ->
  match row Pow with
  | Some (_, [Some t; _]) =>
      is_derive (fun x => value2 polygamma Pow x y) x (term_value lgamma polygamma x y (value2 polygamma Pow x y) t)
  | _ => True
  end.
Proof.
  intro D. simpl. replace (0 / 1) with 0 in * by field. replace (1 / 1) with 1 in * by field.
  destruct D as [[E D] | [E D]].
  - unfold truth. destruct (Req_EM_T x 0); [lra|]. replace (if Req_EM_T 0 1 then 0 else y * pow x (y - 1)) with (y * pow x (y - 1)) by (destruct (Req_EM_T 0 1); lra).
    destruct (Req_EM_T _ 1); now apply derive_pow_negative.
  - subst x. unfold truth. destruct (Req_EM_T y 0); [lra|]. destruct (Req_EM_T 0 1); [lra|].
    apply derive_pow_at_0. lra.
Qed.

Theorem power_by_exponent lgamma polygamma y : y > 0 ->
  match row Pow with
  | Some (_, [_; Some u]) =>
      is_derive (fun y => value2 polygamma Pow 0 y) y (term_value lgamma polygamma 0 y (value2 polygamma Pow 0 y) u)
  | _ => True
  end.
Proof.
  intro D. simpl. replace (0 / 1) with 0 in * by field. unfold truth.
  destruct (Req_EM_T 0 0); [|lra]. destruct (Req_EM_T 1 1); [|lra].
  destruct (Rge_dec y 0); [|lra]. destruct (Req_EM_T 1 1); [|lra]. now apply derive_pow_base_0.
Qed.

(** Integer powers: the derivative by the base. *)
Lemma derive_pow_int x n : x <> 0 \/ (0 <= n)%Z -> is_derive (fun x => powerRZ x n) x (IZR n * powerRZ x (n - 1)).
Proof.
  intro H. destruct (Req_EM_T x 0) as [E | N]; [|now apply derive_powerRZ].
  destruct H as [H | H]; [contradiction|]. subst x. destruct n as [|p|p]; [| |lia].
  - simpl. evar_last; [apply derive_constant | ring].
  - replace (powerRZ 0 (Z.pos p - 1)) with (0 ^ pred (Pos.to_nat p)).
    + simpl. evar_last; [apply (is_derive_pow (fun x => x) (Pos.to_nat p)); apply @is_derive_id|].
      unfold one; simpl. rewrite INR_IZR_INZ, positive_nat_Z. ring.
    + rewrite pow_powerRZ. f_equal. lia.
Qed.

Theorem rows_with_an_integer lgamma polygamma p x n : polygamma_derivatives lgamma polygamma ->
  match row p with
  | Some (d, [Some t; None]) => inside lgamma polygamma true x (IZR n) d ->
      is_derive (fun x => value2 polygamma p x (IZR n)) x
        (term_value lgamma polygamma x (IZR n) (value2 polygamma p x (IZR n)) t)
  | Some (d, [None; Some u]) => (0 <= n)%Z -> inside lgamma polygamma false (IZR n) x d ->
      is_derive (fun x => value2 polygamma p (IZR n) x) x
        (term_value lgamma polygamma (IZR n) x (value2 polygamma p (IZR n) x) u)
  | _ => True
  end.
Proof.
  intros [_ P]. destruct p; simpl; try exact I.
  - intro D. replace (0 / 1) with 0 in D by field. unfold truth, pow_int, pow_slope. rewrite Int_part_IZR.
    assert (H : is_derive (fun x => powerRZ x n) x (IZR n * powerRZ x (n - 1))).
    { apply derive_pow_int. destruct D as [D | D]; [now left | right; apply le_IZR; lra]. }
    destruct (Req_EM_T (IZR n) 0) as [E | _]; [rewrite E, Rmult_0_l in H|];
      destruct (Req_EM_T _ 1); try lra; exact H.
  - intro D. replace (0 / 1) with 0 in D by field. unfold truth, pow_slope.
    replace (IZR n - 1) with (IZR (n - 1)) by (rewrite minus_IZR; reflexivity). rewrite !Int_part_IZR.
    destruct (Req_EM_T (IZR n) 0) as [E | N].
    + destruct (Req_EM_T 1 1); [|lra]. rewrite E. apply (is_derive_ext (fun _ => 0)); [intro; symmetry; apply Rmult_0_l|]. apply derive_constant.
    + destruct (Req_EM_T 0 1); [lra|].
      apply (is_derive_scal (fun x => powerRZ x (n - 1))). apply derive_pow_int.
      destruct D as [D | D]; [now left | right]. assert (0 <= n)%Z by (apply le_IZR; lra).
      assert (n <> 0)%Z by (intro; subst; lra). lia.
  - intros L D. replace (0 / 1) with 0 in D by field. apply P; [exact L | exact D].
Qed.
