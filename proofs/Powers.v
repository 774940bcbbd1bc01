(** * Powers whose base is not positive

    Continues [Frechet]. The power of a positive base is differentiable as a function of base and exponent. Around other
    points it has no value nearly everywhere: a negative base has a power for integers alone. [has_power] says where
    there is one. What can be said there is about the points that have one.

    Proved: [power_differentiable]. Wherever the row says that a power is smooth by its base, it is differentiable among
    the points that have a power: its change is the linear map of the two terms, but for something that is small beside
    the way gone. [power_along] says the same of curves through points that have a power, and [exponent_stays] why the
    exponent cannot move where the base is negative. *)
From Coq Require Import Reals ZArith List Psatz.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table Values Rows RowsOfTwo RowsTogether Frechet.
Import ListNotations.
Open Scope R_scope.

(** A power of 0 is there for exponents from 0 on, one of a negative base for integers. *)
Definition has_power (x y : R) : Prop := 0 < x \/ x = 0 /\ 0 <= y \/ x < 0 /\ y = floor y.

(** [f] has this derivative at the point, among the points where [D] holds. *)
Definition differentiable_within (D : R -> R -> Prop) (f : R -> R -> R) (x y fx fy : R) : Prop :=
  filterdiff (fun q : R * R => f (fst q) (snd q)) (within (fun q => D (fst q) (snd q)) (locally (x, y)))
    (fun h => fst h * fx + snd h * fy).

Section Within.
Variable D : R -> R -> Prop.
Notation among x y := (within (fun q : R * R => D (fst q) (snd q)) (locally (x, y))).

Lemma among_proper x y : D x y -> ProperFilter' (among x y).
Proof.
  intro H. constructor; [|apply within_filter, locally_filter]. intro N. exact (locally_singleton _ _ N H).
Qed.

Lemma among_limit x y (q : R * R) : D x y -> is_filter_lim (among x y) q -> q = (x, y).
Proof.
  intros H Q. apply (is_filter_lim_unique (F := among x y) (FF := among_proper x y H) (K := R_AbsRing)
    (V := prod_NormedModule R_AbsRing R_NormedModule R_NormedModule)); [exact Q|].
  intros P L. unfold within. revert L. apply filter_imp. auto.
Qed.

Lemma linear_of_two (fx fy : R) : is_linear (fun h : R * R => fst h * fx + snd h * fy).
Proof.
  apply (is_linear_comp (fun h : R * R => (fst h * fx, snd h * fy)) (fun p => plus (fst p) (snd p)));
    [|apply is_linear_plus].
  apply is_linear_prod.
  - apply (is_linear_comp fst (fun z => z * fx)); [apply is_linear_fst | apply (is_linear_scal_l (K := R_AbsRing) (V := R_NormedModule) fx)].
  - apply (is_linear_comp snd (fun z => z * fy)); [apply is_linear_snd | apply (is_linear_scal_l (K := R_AbsRing) (V := R_NormedModule) fy)].
Qed.

(** What [differentiable_within] says in numbers. *)
Lemma within_by_numbers f x y fx fy : D x y ->
  (forall eps : posreal, locally (x, y) (fun q => D (fst q) (snd q) ->
    Rabs (f (fst q) (snd q) - f x y - ((fst q - x) * fx + (snd q - y) * fy)) <= eps * (Rabs (fst q - x) + Rabs (snd q - y)))) ->
  differentiable_within D f x y fx fy.
Proof.
  intros H K. split; [apply linear_of_two|]. intros q Q. apply (among_limit x y q H) in Q. subst q. intro eps.
  unfold within. generalize (K (pos_div_2 eps)). apply filter_imp. intros [a b] L I. specialize (L I). simpl in L.
  change (Rabs (f a b - f x y - ((a - x) * fx + (b - y) * fy)) <= eps * sqrt (Rabs (a - x) ^ 2 + Rabs (b - y) ^ 2)).
  assert (N : Rabs (a - x) + Rabs (b - y) <= 2 * sqrt (Rabs (a - x) ^ 2 + Rabs (b - y) ^ 2)).
  { pose proof (sqrt_plus_sqr (Rabs (a - x)) (Rabs (b - y))) as [S _]. rewrite !Rabs_Rabsolu in S.
    pose proof (Rmax_l (Rabs (a - x)) (Rabs (b - y))). pose proof (Rmax_r (Rabs (a - x)) (Rabs (b - y))). lra. }
  apply (Rle_trans _ _ _ L). pose proof (cond_pos eps) as P. unfold pos_div_2. cbn [pos fst snd].
  replace (eps * sqrt (Rabs (a - x) ^ 2 + Rabs (b - y) ^ 2)) with (eps / 2 * (2 * sqrt (Rabs (a - x) ^ 2 + Rabs (b - y) ^ 2))) by field.
  apply Rmult_le_compat_l; [lra | exact N].
Qed.

(** Curves through points where [D] holds obey the chain rule. *)
Lemma along_curves f x y fx fy (u v : R -> R) t du dv : differentiable_within D f x y fx fy -> u t = x -> v t = y ->
  is_derive u t du -> is_derive v t dv -> locally t (fun s => D (u s) (v s)) ->
  is_derive (fun s => f (u s) (v s)) t (du * fx + dv * fy).
Proof.
  intros [L K] <- <- U V S.
  assert (lim : is_filter_lim (filtermap (fun s => (u s, v s)) (locally t)) (u t, v t)).
  { intros P [eps B]. unfold filtermap.
    assert (CU : continuous u t) by (apply (ex_derive_continuous u t); now exists du).
    assert (CV : continuous v t) by (apply (ex_derive_continuous v t); now exists dv).
    assert (BU : locally t (fun s => ball (u t) eps (u s))) by exact (CU _ (locally_ball (u t) eps)).
    assert (BV : locally t (fun s => ball (v t) eps (v s))) by exact (CV _ (locally_ball (v t) eps)).
    generalize (filter_and _ _ BU BV). clear BU BV. apply filter_imp. intros s [BU BV]. apply B. now split. }
  eapply filterdiff_ext_lin.
  - apply (filterdiff_comp_2 u v f _ _ (fun a b => a * fx + b * fy) U V).
    split; [exact L|]. intros q Q.
    assert (E : q = (u t, v t)).
    { apply (is_filter_lim_unique (F := filtermap (fun s => (u s, v s)) (locally t)) (K := R_AbsRing)
        (V := prod_NormedModule R_AbsRing R_NormedModule R_NormedModule)); assumption. }
    subst q. intro eps. specialize (K (u t, v t)).
    assert (I : is_filter_lim (among (u t) (v t)) (u t, v t)).
    { intros P LP. unfold within. revert LP. apply filter_imp. auto. }
    specialize (K I eps). unfold within in K.
    generalize (filter_and _ _ S (lim _ K)). unfold filtermap. apply filter_imp. intros s [DS KS]. exact (KS DS).
  - intro h. unfold scal; simpl. unfold mult; simpl. ring.
Qed.
End Within.

(** Where a function is differentiable, it is so among any points. *)
Lemma differentiable_among (D : R -> R -> Prop) f x y fx fy : D x y -> differentiable f x y fx fy -> differentiable_within D f x y fx fy.
Proof.
  intros H [L K]. split; [exact L|]. intros q Q. apply (among_limit D x y q H) in Q. subst q. intro eps.
  unfold within. generalize (K (x, y) (fun P L => L) eps). apply filter_imp. auto.
Qed.

Lemma within_same (D : R -> R -> Prop) f x y fx fy gx : differentiable_within D f x y gx fy -> fx = gx ->
  differentiable_within D f x y fx fy.
Proof. now intros H ->. Qed.

(** ** A negative base *)

Lemma second_less (x y z : R) : y < z -> locally (x, y) (fun q => snd q < z).
Proof. exact (near_less snd (fun _ => z) (x, y) _ _ (derives_snd _) (derives_const z _)). Qed.

Lemma second_more (x y z : R) : z < y -> locally (x, y) (fun q => z < snd q).
Proof. exact (near_less (fun _ => z) snd (x, y) _ _ (derives_const z _) (derives_snd _)). Qed.

(** The exponent cannot move: other powers close by are not there. *)
Theorem exponent_stays x y : x < 0 -> y = floor y ->
  locally (x, y) (fun q => has_power (fst q) (snd q) -> fst q < 0 /\ snd q = y).
Proof.
  intros N Y. assert (Y1 : y - 1 < y) by lra. assert (Y2 : y < y + 1) by lra.
  generalize (filter_and _ _ (negative_near x y N) (filter_and _ _ (second_more x y _ Y1) (second_less x y _ Y2))).
  apply filter_imp. intros q (Q & L & U) [P | [[P _] | [_ P]]]; [lra | lra |]. split; [exact Q|].
  rewrite Y, P in *. unfold floor in *. f_equal. set (n := Int_part (snd q)) in *. set (m := Int_part y) in *.
  rewrite <- minus_IZR, <- plus_IZR in *. apply lt_IZR in L. apply lt_IZR in U. lia.
Qed.

Lemma linear_close (f : R -> R) x l (eps : posreal) : is_derive f x l ->
  locally x (fun t => Rabs (f t - f x - (t - x) * l) <= eps * Rabs (t - x)).
Proof. intros [_ D]. exact (D x (fun P L => L) eps). Qed.

Lemma first_close (x y : R) (P : R -> Prop) : locally x P -> locally (x, y) (fun q => P (fst q)).
Proof. intros [eps H]. exists eps. intros q [B _]. now apply H. Qed.

Lemma negative_power x y fy : x < 0 -> y = floor y ->
  differentiable_within has_power pow x y (y * pow x (y - 1)) fy.
Proof.
  intros N Y. apply within_by_numbers; [right; right; now split|]. intro eps.
  generalize (filter_and _ _ (exponent_stays x y N Y) (first_close x y _
    (linear_close (fun x => pow x y) x _ eps (derive_pow_negative x y N Y)))).
  apply filter_imp. intros [a b] [E L] P. simpl in *. destruct (E P) as [_ ->].
  replace (y - y) with 0 by ring. rewrite Rmult_0_l, Rabs_R0, !Rplus_0_r. exact L.
Qed.

(** ** The base 0 *)

Lemma exp_close s : Rabs (exp s - 1) <= Rabs s * exp (Rabs s).
Proof.
  destruct (Rle_dec 0 s) as [P|P].
  - rewrite (Rabs_right s) by lra. assert (1 <= exp s).
    { destruct (Req_dec s 0) as [->|]; [rewrite exp_0; lra|]. left. rewrite <- exp_0. apply exp_increasing. lra. }
    rewrite Rabs_right by lra.
    assert (I : 1 + - s <= exp (- s)) by (destruct (Req_dec (- s) 0) as [->|]; [rewrite exp_0; lra | left; now apply exp_ineq1]).
    apply (Rmult_le_compat_r (exp s)) in I; [|lra]. rewrite <- exp_plus, Rplus_opp_l, exp_0 in I. lra.
  - rewrite (Rabs_left s) by lra. assert (exp s < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
    rewrite Rabs_left by lra. assert (1 + s < exp s) by (apply exp_ineq1; lra).
    assert (1 < exp (- s)) by (rewrite <- exp_0; apply exp_increasing; lra). nra.
Qed.

(** Close to the base 0, an exponent close to 1 makes little difference. *)
Lemma power_close_to_1 (eps : posreal) h k : 0 < h -> h < 1 -> h < exp (4 * ln (eps / 4)) -> Rabs k <= / 2 ->
  Rabs (exp ((1 + k) * ln h) - h) <= eps * Rabs k.
Proof.
  intros H H1 He K. pose proof (cond_pos eps) as E. set (w := - ln h).
  assert (W : 0 < w) by (unfold w; pose proof (ln_increasing h 1 H H1) as I; rewrite ln_1 in I; lra).
  assert (Hw : h = exp (- w)) by (unfold w; rewrite Ropp_involutive, exp_ln; auto).
  replace (exp ((1 + k) * ln h) - h) with (h * (exp (- (k * w)) - 1)).
  2: { replace ((1 + k) * ln h) with (ln h + - (k * w)) by (unfold w; ring). rewrite exp_plus, exp_ln by exact H. ring. }
  rewrite Rabs_mult, (Rabs_right h) by lra.
  apply (Rle_trans _ (h * (Rabs (- (k * w)) * exp (Rabs (- (k * w)))))).
  { apply Rmult_le_compat_l; [lra | apply exp_close]. }
  rewrite Rabs_Ropp, Rabs_mult, (Rabs_right w) by lra.
  replace (h * (Rabs k * w * exp (Rabs k * w))) with (Rabs k * (w * (exp (- w) * exp (Rabs k * w)))) by (rewrite Hw; ring).
  rewrite (Rmult_comm eps). apply Rmult_le_compat_l; [apply Rabs_pos|]. rewrite <- exp_plus.
  apply (Rle_trans _ (4 * exp (w / 4) * exp (- w / 2))).
  - apply Rmult_le_compat; [lra | left; apply exp_pos | |].
    + pose proof (exp_ineq1 (w / 4)). lra.
    + assert (I : - w + Rabs k * w <= - w / 2) by nra. destruct I as [I | ->]; [left; now apply exp_increasing | apply Rle_refl].
  - rewrite Rmult_assoc, <- exp_plus. replace (w / 4 + - w / 2) with (- w / 4) by field.
    assert (I : - w / 4 < ln (eps / 4)).
    { rewrite Hw in He. apply exp_lt_inv in He. lra. }
    apply exp_increasing in I. rewrite exp_ln in I by lra. lra.
Qed.

Lemma power_of_0 y : 0 < y -> pow 0 y = 0.
Proof.
  intro P. unfold pow. destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T y 0); [lra|].
  destruct (Req_EM_T 0 0); [reflexivity | lra].
Qed.

Lemma base_small (y delta : R) : 0 < delta -> locally (0, y) (fun q => Rabs (fst q) < delta).
Proof.
  intro P. apply (first_close 0 y (fun t => Rabs t < delta)). exists (mkposreal _ P). intros t B.
  change (Rabs (minus t 0) < delta) in B. unfold minus, plus, opp in B. simpl in B. now replace t with (t + - 0) by ring.
Qed.

Lemma first_power : differentiable_within has_power pow 0 1 1 0.
Proof.
  apply within_by_numbers; [right; left; lra|]. intro eps.
  assert (P1 : pow 0 1 = 0) by (apply power_of_0; lra).
  assert (M : 0 < Rmin 1 (exp (4 * ln (eps / 4)))) by (apply Rmin_pos; [lra | apply exp_pos]).
  assert (L : 1 < 3 / 2) by lra. assert (L' : / 2 < 1) by lra.
  generalize (filter_and _ _ (base_small 1 _ M) (filter_and _ _ (second_less 0 1 _ L) (second_more 0 1 _ L'))).
  apply filter_imp. intros [a b] (A & B1 & B2) P. simpl in *. rewrite P1. pose proof (cond_pos eps) as E.
  assert (Q : 0 <= Rabs a) by apply Rabs_pos. assert (Q' : 0 <= Rabs (b - 1)) by apply Rabs_pos.
  replace (a - 0) with a by ring.
  destruct P as [P | [[-> P] | [P F]]].
  - rewrite pow_positive by exact P. rewrite Rabs_right in A by lra.
    replace (exp (b * ln a) - 0 - (a * 1 + (b - 1) * 0)) with (exp ((1 + (b - 1)) * ln a) - a)
      by (replace (1 + (b - 1)) with b by ring; ring).
    apply (Rle_trans _ (eps * Rabs (b - 1))); [|nra]. apply power_close_to_1; [exact P | | |].
    + apply (Rlt_le_trans _ _ _ A), Rmin_l.
    + apply (Rlt_le_trans _ _ _ A), Rmin_r.
    + apply Rabs_le. lra.
  - rewrite power_of_0 by lra. replace (0 - 0 - (0 * 1 + (b - 1) * 0)) with 0 by ring. rewrite Rabs_R0. nra.
  - assert (b = 1).
    { rewrite F in *. unfold floor in *. f_equal. set (n := Int_part b) in *.
      assert (0 < n < 2)%Z by (split; apply lt_IZR; lra). lia. }
    subst b. change 1 with (IZR 1) at 1. rewrite pow_integer by exact P. simpl.
    replace (a * 1 - 0 - (a * 1 + (1 - 1) * 0)) with 0 by ring. rewrite Rabs_R0. nra.
Qed.

Lemma higher_power y : 3 / 2 < y -> differentiable_within has_power pow 0 y 0 0.
Proof.
  intro Y. apply within_by_numbers; [right; left; lra|]. intro eps.
  assert (P1 : pow 0 y = 0) by (apply power_of_0; lra).
  assert (M : 0 < Rmin 1 (exp (2 * ln eps))) by (apply Rmin_pos; [lra | apply exp_pos]).
  generalize (filter_and _ _ (base_small y _ M) (second_more 0 y (3 / 2) Y)).
  apply filter_imp. intros [a b] (A & B) P. simpl in *. rewrite P1. pose proof (cond_pos eps) as E.
  replace (pow a b - 0 - ((a - 0) * 0 + (b - y) * 0)) with (pow a b) by ring. replace (a - 0) with a by ring.
  assert (Q' : 0 <= Rabs (b - y)) by apply Rabs_pos.
  destruct (Req_dec a 0) as [->|N]; [rewrite power_of_0, Rabs_R0 by lra; nra|].
  assert (Q : 0 < Rabs a) by now apply Rabs_pos_lt.
  apply (Rle_trans _ (eps * Rabs a)); [|nra]. apply (Rle_trans _ _ _ (pow_small a b N)).
  assert (A1 : Rabs a < 1) by apply (Rlt_le_trans _ _ _ A), Rmin_l.
  assert (A2 : Rabs a < exp (2 * ln eps)) by apply (Rlt_le_trans _ _ _ A), Rmin_r.
  pose proof (ln_increasing (Rabs a) 1 Q A1) as L. rewrite ln_1 in L.
  assert (L2 : ln (Rabs a) < 2 * ln eps) by (rewrite <- (ln_exp (2 * ln eps)); now apply ln_increasing).
  rewrite <- (exp_ln eps E) at 1. rewrite <- (exp_ln (Rabs a) Q) at 2. rewrite <- exp_plus.
  left. apply exp_increasing. nra.
Qed.

(** ** The row *)

(** Where a power goes on to both sides of its base: at positive ones, where the row says that it is smooth, and for integers
    below and at 0. *)
Definition goes_on x y : Prop := x > 0 \/ (y = floor y /\ (x < 0 \/ (x = 0 /\ y >= 1))).

(** There the terms of the row are the derivative. *)
Theorem power_differentiable lgamma polygamma x y :
  match row Pow with
  | Some (_, [Some t; Some u]) => goes_on x y ->
      differentiable_within has_power pow x y (term_value lgamma polygamma x y (pow x y) t)
        (term_value lgamma polygamma x y (pow x y) u)
  | _ => False
  end.
Proof.
  simpl. replace (0 / 1) with 0 by field. replace (1 / 1) with 1 by field. intros [P | [E [N | [Z G]]]].
  - apply differentiable_among; [now left|]. generalize (rows_differentiable lgamma polygamma Pow x y P). simpl.
    replace (0 / 1) with 0 by field. replace (1 / 1) with 1 by field. intro K. apply K; exact P.
  - eapply within_same; [now apply negative_power|]. unfold truth. destruct (Req_EM_T x 0); [lra|].
    destruct (Req_EM_T 0 1); [lra|]. now destruct (Req_EM_T _ 1).
  - subst x. unfold truth. destruct (Req_EM_T y 0); [lra|]. destruct (Req_EM_T 0 1); [lra|].
    destruct (Req_EM_T 0 0); [|lra]. destruct (Req_EM_T 1 1); [|lra]. destruct (Rge_dec y 0); [|lra].
    destruct (Req_EM_T 1 1); [|lra]. destruct (Req_dec y 1) as [->|N].
    + replace (1 - 1) with 0 by ring. replace (1 * pow 0 0) with 1; [apply first_power|].
      unfold pow. destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T 0 0); lra.
    + assert (Y : 3 / 2 < y).
      { unfold floor in E. set (k := Int_part y) in *. rewrite E in *. assert (1 < k)%Z by (apply lt_IZR; lra).
        assert (2 <= IZR k) by (apply IZR_le; lia). lra. }
      rewrite power_of_0, Rmult_0_r by lra. now apply higher_power.
Qed.

(** Base and exponent move along curves, and there is a power all along: the chain rule holds. *)
Theorem power_along lgamma polygamma x y :
  match row Pow with
  | Some (_, [Some t; Some u]) => goes_on x y ->
      forall (v w : R -> R) s dv dw, v s = x -> w s = y -> is_derive v s dv -> is_derive w s dw ->
      locally s (fun s => has_power (v s) (w s)) ->
      is_derive (fun s => pow (v s) (w s)) s
        (dv * term_value lgamma polygamma x y (pow x y) t + dw * term_value lgamma polygamma x y (pow x y) u)
  | _ => False
  end.
Proof.
  generalize (power_differentiable lgamma polygamma x y). destruct (row Pow) as [[? [|[t|] [|[u|] [|? ?]]]]|]; try contradiction.
  intros K I v w s dv dw V W DV DW H. exact (along_curves has_power pow x y _ _ v w s dv dw (K I) V W DV DW H).
Qed.
