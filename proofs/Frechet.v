(** * Primitives of two arguments are differentiable

    Continues [RowsTogether]. There both arguments move along curves. Here they are a point of the plane, and
    [rows_differentiable] says that the primitive is Fréchet differentiable there: its change is the linear map that the
    two terms of the row make, but for something that is small beside the way gone. This is [filterdiff] of Coquelicot.
    For a primitive of one argument [Rows] says the same, as [is_derive] is that. *)
From Coq Require Import Reals ZArith List Psatz.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table Values Rows RowsOfTwo RowsTogether.
Import ListNotations.
Open Scope R_scope.

(** [f] of two numbers has this derivative at the point: [h] is how far one goes. *)
Definition differentiable (f : R -> R -> R) (x y fx fy : R) : Prop :=
  filterdiff (fun q : R * R => f (fst q) (snd q)) (locally (x, y)) (fun h => fst h * fx + snd h * fy).

(** A number that depends on the point, with its derivative. *)
Definition derives (f : R * R -> R) (q : R * R) (l : R * R -> R) : Prop := filterdiff f (locally q) l.

Lemma derives_same f q l m : derives f q l -> (forall h, l h = m h) -> derives f q m.
Proof. intros D E. exact (filterdiff_ext_lin f l m D E). Qed.

Lemma derives_near f g q l : derives g q l -> locally q (fun p => g p = f p) -> derives f q l.
Proof. intros D E. exact (filterdiff_ext_locally g f q l E D). Qed.

Lemma derives_fst q : derives fst q fst.
Proof. apply filterdiff_linear, is_linear_fst. Qed.

Lemma derives_snd q : derives snd q snd.
Proof. apply filterdiff_linear, is_linear_snd. Qed.

Lemma derives_const c q : derives (fun _ => c) q (fun _ => 0).
Proof. apply (filterdiff_const (K := R_AbsRing) (V := R_NormedModule) c). Qed.

Lemma derives_plus f g q l m : derives f q l -> derives g q m -> derives (fun p => f p + g p) q (fun h => l h + m h).
Proof. intros D E. exact (filterdiff_plus_fct f g l m D E). Qed.

Lemma derives_mult f g q l m : derives f q l -> derives g q m ->
  derives (fun p => f p * g p) q (fun h => l h * g q + f q * m h).
Proof. intros D E. exact (filterdiff_mult_fct f g q l m Rmult_comm D E). Qed.

Lemma derives_comp g f q l d : derives f q l -> is_derive g (f q) d -> derives (fun p => g (f p)) q (fun h => l h * d).
Proof. intros D E. exact (filterdiff_comp' f g q l (fun y => scal y d) D E). Qed.

Lemma derives_continuous f q l : derives f q l -> continuous f q.
Proof.
  intro D. apply (filterdiff_continuous (K := R_AbsRing) (U := prod_NormedModule R_AbsRing R_NormedModule R_NormedModule)
    (V := R_NormedModule) f q). exists l. exact D.
Qed.

Lemma near_less u v q l m : derives u q l -> derives v q m -> u q < v q -> locally q (fun p => u p < v p).
Proof.
  intros D E L.
  assert (C : continuous (fun p => v p - u p) q)
    by (apply (continuous_minus v u); [exact (derives_continuous _ _ _ E) | exact (derives_continuous _ _ _ D)]).
  assert (P : locally (v q - u q) (fun z => 0 < z)).
  { apply (locally_interval _ (v q - u q) 0 (v q - u q + 1)); simpl; intros; lra. }
  generalize (C (fun z => 0 < z) P). unfold filtermap. apply filter_imp. intros s S. lra.
Qed.

(** ** The primitives *)
Lemma differentiable_near f g x y fx fy : differentiable g x y fx fy ->
  locally (x, y) (fun q => g (fst q) (snd q) = f (fst q) (snd q)) -> differentiable f x y fx fy.
Proof. intros D E. exact (derives_near _ _ _ _ D E). Qed.

Lemma differentiable_same f x y fx fy gx gy : differentiable f x y gx gy -> fx = gx -> fy = gy -> differentiable f x y fx fy.
Proof. now intros D -> ->. Qed.

Lemma sum_differentiable x y : differentiable Rplus x y 1 1.
Proof.
  eapply derives_same; [apply (derives_plus fst snd); [apply derives_fst | apply derives_snd] | intro; simpl; ring].
Qed.

Lemma difference_differentiable x y : differentiable Rminus x y 1 (-1).
Proof.
  assert (D : is_derive Ropp y (-1)) by (apply (is_derive_ext (fun y => - y)); [reflexivity | auto_derive; [exact I | ring]]).
  eapply derives_same.
  - apply (derives_plus fst (fun q => - snd q)); [apply derives_fst|].
    exact (derives_comp Ropp snd (x, y) snd (-1) (derives_snd _) D).
  - intro; simpl; ring.
Qed.

Lemma product_differentiable x y : differentiable Rmult x y y x.
Proof.
  eapply derives_same; [apply (derives_mult fst snd); [apply derives_fst | apply derives_snd] | intro; simpl; ring].
Qed.

Lemma derives_inv f q l : f q <> 0 -> derives f q l -> derives (fun p => / f p) q (fun h => l h * - / (f q * f q)).
Proof.
  intros N D. apply (derives_comp Rinv f q l); [exact D|].
  apply (is_derive_ext (fun y => / y)); [reflexivity|]. auto_derive; [exact N | field; exact N].
Qed.

Lemma quotient_differentiable x y : y <> 0 -> differentiable Rdiv x y (1 / y) (- (x / y * (1 / y))).
Proof.
  intro N. eapply derives_same.
  - apply (derives_mult fst (fun q => / snd q)); [apply derives_fst | apply derives_inv; [exact N | apply derives_snd]].
  - intro; simpl. field. exact N.
Qed.

Lemma first_differentiable x y : differentiable (fun x _ => x) x y 1 0.
Proof. eapply derives_same; [apply derives_fst | intro; simpl; ring]. Qed.

Lemma second_differentiable x y : differentiable (fun _ y => y) x y 0 1.
Proof. eapply derives_same; [apply derives_snd | intro; simpl; ring]. Qed.

Lemma less x y : x < y -> locally (x, y) (fun q => fst q < snd q).
Proof. intro L. exact (near_less fst snd (x, y) _ _ (derives_fst _) (derives_snd _) L). Qed.

Lemma more x y : y < x -> locally (x, y) (fun q => snd q < fst q).
Proof. intro L. exact (near_less snd fst (x, y) _ _ (derives_snd _) (derives_fst _) L). Qed.

Lemma max_differentiable x y : x <> y ->
  differentiable Rmax x y (if Rlt_dec x y then 0 else 1) (if Rlt_dec x y then 1 else 0).
Proof.
  intro N. destruct (Rlt_dec x y) as [L|L].
  - apply (differentiable_near _ (fun _ y => y)); [apply second_differentiable|].
    generalize (less x y L). apply filter_imp. intros q S. symmetry. apply Rmax_right. lra.
  - apply (differentiable_near _ (fun x _ => x)); [apply first_differentiable|].
    generalize (more x y ltac:(lra)). apply filter_imp. intros q S. symmetry. apply Rmax_left. lra.
Qed.

Lemma min_differentiable x y : x <> y ->
  differentiable Rmin x y (if Rlt_dec x y then 1 else 0) (if Rlt_dec x y then 0 else 1).
Proof.
  intro N. destruct (Rlt_dec x y) as [L|L].
  - apply (differentiable_near _ (fun x _ => x)); [apply first_differentiable|].
    generalize (less x y L). apply filter_imp. intros q S. symmetry. apply Rmin_left. lra.
  - apply (differentiable_near _ (fun _ y => y)); [apply second_differentiable|].
    generalize (more x y ltac:(lra)). apply filter_imp. intros q S. symmetry. apply Rmin_right. lra.
Qed.

Lemma derives_ln f q l : 0 < f q -> derives f q l -> derives (fun p => ln (f p)) q (fun h => l h * / f q).
Proof. intros P D. apply (derives_comp ln f q l _ D). apply is_derive_Reals, derivable_pt_lim_ln. exact P. Qed.

Lemma xlogy_differentiable x y : 0 < y -> differentiable (fun x y => x * ln y) x y (ln y) (x / y).
Proof.
  intro P. eapply derives_same.
  - apply (derives_mult fst (fun q => ln (snd q))); [apply derives_fst | apply derives_ln; [exact P | apply derives_snd]].
  - intro; simpl. field. lra.
Qed.

Lemma positive_near (x y : R) : 0 < x -> locally (x, y) (fun q => 0 < fst q).
Proof. intro P. exact (near_less (fun _ => 0) fst (x, y) _ _ (derives_const 0 _) (derives_fst _) P). Qed.

Lemma positive_second (x y : R) : 0 < y -> locally (x, y) (fun q => 0 < snd q).
Proof. intro P. exact (near_less (fun _ => 0) snd (x, y) _ _ (derives_const 0 _) (derives_snd _) P). Qed.

Lemma negative_near (x y : R) : x < 0 -> locally (x, y) (fun q => fst q < 0).
Proof. intro P. exact (near_less fst (fun _ => 0) (x, y) _ _ (derives_fst _) (derives_const 0 _) P). Qed.

Lemma negative_second (x y : R) : y < 0 -> locally (x, y) (fun q => snd q < 0).
Proof. intro P. exact (near_less snd (fun _ => 0) (x, y) _ _ (derives_snd _) (derives_const 0 _) P). Qed.

Lemma pow_differentiable x y : 0 < x -> differentiable pow x y (y * pow x (y - 1)) (pow x y * ln x).
Proof.
  intro P. assert (S : pow x (y - 1) = pow x y / x).
  { rewrite !pow_positive by exact P. replace ((y - 1) * ln x) with (y * ln x + - ln x) by ring.
    rewrite exp_plus, exp_Ropp, exp_ln by exact P. reflexivity. }
  apply (differentiable_near _ (fun x y => exp (y * ln x))).
  - rewrite S, pow_positive by exact P. eapply derives_same.
    + apply (derives_comp exp (fun q => snd q * ln (fst q))); [|apply is_derive_exp].
      apply derives_mult; [apply derives_snd | apply derives_ln; [exact P | apply derives_fst]].
    + intro; simpl. field. lra.
  - generalize (positive_near x y P). apply filter_imp. intros q L. symmetry. now apply pow_positive.
Qed.

Lemma hypot_differentiable x y : x <> 0 \/ y <> 0 -> differentiable hypot x y (x / hypot x y) (y / hypot x y).
Proof.
  intro N. assert (P : 0 < x * x + y * y) by (destruct N; nra). pose proof (sqrt_lt_R0 _ P). eapply derives_same.
  - apply (derives_comp sqrt (fun q => fst q * fst q + snd q * snd q)).
    + apply derives_plus; apply derives_mult; apply derives_fst || apply derives_snd.
    + apply is_derive_sqrt; [apply @is_derive_id | exact P].
  - intro h. unfold hypot, Hierarchy.one; simpl. field. lra.
Qed.

Lemma atan_differentiable sign shift x y : y <> 0 -> differentiable (fun x y => shift + sign * atan (x / y)) x y
  (sign * (y / (x * x + y * y))) (- (sign * (x / (x * x + y * y)))).
Proof.
  intro N. eapply derives_same.
  - apply derives_plus; [apply derives_const|]. apply derives_mult; [apply derives_const|].
    apply (derives_comp atan (fun q => fst q / snd q)); [|apply is_derive_Reals, derivable_pt_lim_atan].
    apply derives_mult; [apply derives_fst | apply derives_inv; [exact N | apply derives_snd]].
  - intro h. simpl. pose proof (Rsqr_pos_lt _ N) as Q. unfold Rsqr in Q. field. repeat split; try exact N; nra.
Qed.

(** The arguments the other way round. *)
Lemma flipped_atan_differentiable shift y x : y <> 0 -> differentiable (fun y x => shift + -1 * atan (x / y)) y x
  (x / (y * y + x * x)) (- (y / (y * y + x * x))).
Proof.
  intro N. eapply derives_same.
  - apply derives_plus; [apply derives_const|]. apply derives_mult; [apply derives_const|].
    apply (derives_comp atan (fun q => snd q / fst q)); [|apply is_derive_Reals, derivable_pt_lim_atan].
    apply derives_mult; [apply derives_snd | apply derives_inv; [exact N | apply derives_fst]].
  - intro h. simpl. pose proof (Rsqr_pos_lt _ N) as Q. unfold Rsqr in Q. field. repeat split; try exact N; nra.
Qed.

Lemma atan2_differentiable y x : y <> 0 \/ 0 < x ->
  differentiable atan2 y x (x / (y * y + x * x)) (- (y / (y * y + x * x))).
Proof.
  intro H. destruct (Rlt_dec 0 x) as [P|P].
  - apply (differentiable_near _ (fun y x => 0 + 1 * atan (y / x))).
    + eapply differentiable_same; [apply atan_differentiable; lra | ring | ring].
    + generalize (positive_second y x P). apply filter_imp. intros q L. rewrite atan2_right by exact L. ring.
  - assert (Y : y <> 0) by (destruct H; [assumption | contradiction]). destruct (Rlt_dec 0 y) as [L|L].
    + apply (differentiable_near _ (fun y x => PI / 2 + -1 * atan (x / y))); [now apply flipped_atan_differentiable|].
      generalize (positive_near y x L). apply filter_imp. intros q S. rewrite atan2_above by exact S. ring.
    + apply (differentiable_near _ (fun y x => - (PI / 2) + -1 * atan (x / y))); [now apply flipped_atan_differentiable|].
      generalize (negative_near y x ltac:(lra)). apply filter_imp. intros q S. rewrite atan2_below by exact S. ring.
Qed.

Lemma rem_differentiable x y : rem x y <> 0 -> differentiable rem x y 1 (round ((rem x y - x) / y)).
Proof.
  intro H. apply rem_inside in H as (Y & N & E). set (k := Int_part (x / y)).
  assert (K : floor (x / y) = IZR k) by reflexivity.
  assert (S : round ((rem x y - x) / y) = - IZR k).
  { rewrite E, K. replace ((x - y * IZR k - x) / y) with (IZR (- k)) by (rewrite opp_IZR; field; exact Y).
    rewrite round_IZR. apply opp_IZR. }
  rewrite S. apply (differentiable_near _ (fun x y => x + y * - IZR k)).
  - eapply derives_same; [apply derives_plus; [apply derives_fst|]; apply derives_mult;
      [apply derives_snd | apply derives_const] | intro; simpl; ring].
  - pose proof (floor_bounds (x / y)) as B.
    assert (Q : derives (fun q => fst q / snd q) (x, y) (fun h => fst h * / y + x * (snd h * - / (y * y))))
      by (apply derives_mult; [apply derives_fst | apply derives_inv; [exact Y | apply derives_snd]]).
    assert (Z : locally (x, y) (fun q => snd q <> 0)).
    { destruct (Rlt_dec 0 y) as [P|P].
      - generalize (positive_second x y P). apply filter_imp. intros; lra.
      - generalize (negative_second x y ltac:(lra)). apply filter_imp. intros; lra. }
    assert (L : floor (x / y) < x / y) by lra.
    generalize (filter_and _ _ Z (filter_and _ _
      (near_less (fun _ => floor (x / y)) _ (x, y) _ _ (derives_const _ _) Q L)
      (near_less _ (fun _ => floor (x / y) + 1) (x, y) _ _ Q (derives_const _ _) (proj2 B)))).
    apply filter_imp. intros q (ZS & L1 & L2). unfold rem. destruct (Req_EM_T (snd q) 0); [contradiction|].
    rewrite (floor_between k); [ring|]. change (floor (x / y)) with (IZR k) in L1, L2. cbn beta in L1, L2.
    split; [left; exact L1 | exact L2].
Qed.

(** The terms of a row with two Reals as arguments are the derivative, inside the domain; [pow] where its base is
    positive. *)
Theorem rows_differentiable lgamma polygamma p x y : covered p x ->
  match row p with
  | Some (d, [Some t; Some u]) => inside lgamma polygamma true x y d -> inside lgamma polygamma false x y d ->
      differentiable (value2 polygamma p) x y (term_value lgamma polygamma x y (value2 polygamma p x y) t)
        (term_value lgamma polygamma x y (value2 polygamma p x y) u)
  | _ => True
  end.
Proof.
  intro C. destruct p; simpl; try exact I; intros D D'; simpl in C; try replace (0 / 1) with 0 in * by field.
  - eapply differentiable_same; [apply sum_differentiable | field ..].
  - eapply differentiable_same; [apply difference_differentiable | field ..].
  - apply product_differentiable.
  - eapply differentiable_same; [apply quotient_differentiable; exact D | field; exact D ..].
  - replace (1 / 1) with 1 by field. apply rem_differentiable. apply D.
  - eapply differentiable_same; [apply pow_differentiable; exact C | |]; unfold truth; replace (1 / 1) with 1 by field.
    + destruct (Req_EM_T y 0) as [->|]; decide_all; try reflexivity; ring.
    + decide_all; try reflexivity; lra.
  - eapply differentiable_same; [apply max_differentiable; exact D | |]; unfold truth; decide_all; try reflexivity; lra.
  - eapply differentiable_same; [apply min_differentiable; exact D | |]; unfold truth; decide_all; try reflexivity; lra.
  - replace (1 / 1) with 1 by field. rewrite !over_square by (destruct D; [now left | right; lra]).
    apply atan2_differentiable. destruct D; [now left | right; lra].
  - pose proof (hypot_not_0 x y D). eapply differentiable_same; [apply hypot_differentiable; exact D | |]; unfold truth;
      decide_all; try reflexivity; lra.
  - eapply differentiable_same; [apply xlogy_differentiable; lra | |]; unfold truth; decide_all; try reflexivity; lra.
Qed.
