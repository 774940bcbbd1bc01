(** * The laws of linear maps

    Paper: Ellis, Peyton Jones, Fitzgibbon, "Working notes on automatic differentiation"; sections 2.1 and 2.2, the
    properties in figure 4, theorem 2.2, the laws in figure 5.

    Two maps are equal ([same]) if they give the same for each tangent. Proved: the laws of vector spaces; that maps are
    linear, (LM1) and (LM2); that a map is known by its products with all tangents, theorem 2.2; each property of figure 4,
    and two more that the demonstration of section 9 needs; the laws of figure 5.

    Left out are the maps between functions, whose printed meaning is an infinite sum. *)
From Coq Require Import Reals Psatz.
From Pullback Require Import LinearMaps.
Open Scope R_scope.

(** ** Vector spaces *)

(** A vector is known by its products with all others. *)
Lemma dot_determines s : forall x y : el s, (forall t, dot s x t = dot s y t) -> x = y.
Proof.
  induction s; simpl; intros x y H.
  - now destruct x, y.
  - generalize (H 1). lra.
  - destruct x as [x x'], y as [y y']. f_equal.
    + apply IHs1. intro t. generalize (H (t, zero s2)). simpl. rewrite !dot0r. lra.
    + apply IHs2. intro t. generalize (H (zero s1, t)). simpl. rewrite !dot0r. lra.
  - assert (Z : forall n u, vdot (dot s) n u (vconst (zero s) n) = 0).
    { induction n0; simpl; intro u; [reflexivity|]. rewrite dot0r, IHn0. ring. }
    induction n; [now destruct x, y|]. destruct x as [x x'], y as [y y']. f_equal.
    + apply IHs. intro t. generalize (H (t, vconst (zero s) n)). simpl. rewrite !Z. lra.
    + apply IHn. intro t. generalize (H (zero s, t)). simpl. rewrite !dot0r. lra.
Qed.

Ltac by_products := intros; apply dot_determines; intro; rewrite ?dotpl, ?dotsl, ?dot0l; rewrite ?dotpl, ?dotsl, ?dot0l; ring.

Lemma plus_assoc s x y z : plus s x (plus s y z) = plus s (plus s x y) z. Proof. by_products. Qed.
Lemma plus_comm s x y : plus s x y = plus s y x. Proof. by_products. Qed.
Lemma plus_zero s x : plus s x (zero s) = x. Proof. by_products. Qed.
Lemma zero_plus s x : plus s (zero s) x = x. Proof. by_products. Qed.
Lemma scale_zero s x : scale s 0 x = zero s. Proof. by_products. Qed.
Lemma scale_one s x : scale s 1 x = x. Proof. by_products. Qed.
Lemma scale_scale s j k x : scale s j (scale s k x) = scale s (j * k) x. Proof. by_products. Qed.
Lemma scale_plus s k x y : scale s k (plus s x y) = plus s (scale s k x) (scale s k y). Proof. by_products. Qed.
Lemma plus_scale s j k x : scale s (j + k) x = plus s (scale s j x) (scale s k x). Proof. by_products. Qed.

Theorem vector_space s : (forall x y z, plus s x (plus s y z) = plus s (plus s x y) z) /\
  (forall x y, plus s x y = plus s y x) /\ (forall x, plus s x (zero s) = x) /\ (forall x, scale s 0 x = zero s) /\
  (forall x, scale s 1 x = x) /\ (forall j k x, scale s j (scale s k x) = scale s (j * k) x) /\
  (forall k x y, scale s k (plus s x y) = plus s (scale s k x) (scale s k y)) /\
  (forall j k x, scale s (j + k) x = plus s (scale s j x) (scale s k x)).
Proof.
  repeat split; intros; [apply plus_assoc | apply plus_comm | apply plus_zero | apply scale_zero | apply scale_one |
    apply scale_scale | apply scale_plus | apply plus_scale].
Qed.

(** ** Maps are linear *)
Theorem linear_plus a b (m : lm a b) x y : app a b m (plus a x y) = plus b (app a b m x) (app a b m y).
Proof.
  apply dot_determines. intro t. rewrite dotpl. rewrite !(dotC b _ t). rewrite <- !rp. apply dotpr.
Qed.

Theorem linear_scale a b (m : lm a b) k x : app a b m (scale a k x) = scale b k (app a b m x).
Proof. apply dot_determines. intro t. rewrite dotsl. rewrite !(dotC b _ t). rewrite <- !rp. apply dotsr. Qed.

Theorem linear_zero a b (m : lm a b) : app a b m (zero a) = zero b.
Proof. rewrite <- (scale_zero a (zero a)), linear_scale. apply scale_zero. Qed.

Definition same {a b} (m n : lm a b) : Prop := forall x, app a b m x = app a b n x.

(** Theorem 2.2: products with all tangents determine a map. So the transpose is unique. *)
Theorem theorem_2_2 a b (m n : lm a b) : (forall s t, dot b (app a b m s) t = dot b (app a b n s) t) -> same m n.
Proof. intros H x. apply dot_determines. intro t. apply H. Qed.

(** ** Figure 4 *)
Theorem figure_4 a b c d :
  (forall m : lm a b, same (Comp _ _ _ (Zero b c) m) (Zero a c)) /\
  (forall m : lm b c, same (Comp _ _ _ m (Zero a b)) (Zero a c)) /\
  (forall m : lm a b, same (Comp _ _ _ (One b) m) m) /\
  (forall m : lm a b, same (Comp _ _ _ m (One a)) m) /\
  (forall m : lm a b, same (Sum _ _ m (Zero a b)) m) /\
  (forall m : lm a b, same (Sum _ _ (Zero a b) m) m) /\
  (forall (m : lm c d) (n1 : lm a c) (n2 : lm b c),
    same (Comp _ _ _ m (HCat _ _ _ n1 n2)) (HCat _ _ _ (Comp _ _ _ m n1) (Comp _ _ _ m n2))) /\
  (forall (m1 : lm b c) (m2 : lm b d) (n : lm a b),
    same (Comp _ _ _ (VCat _ _ _ m1 m2) n) (VCat _ _ _ (Comp _ _ _ m1 n) (Comp _ _ _ m2 n))) /\
  (forall (m1 : lm b d) (m2 : lm c d) (n1 : lm a b) (n2 : lm a c),
    same (Comp _ _ _ (HCat _ _ _ m1 m2) (VCat _ _ _ n1 n2)) (Sum _ _ (Comp _ _ _ m1 n1) (Comp _ _ _ m2 n2))) /\
  (forall j k, same (Comp _ _ _ (Sc a j) (Sc a k)) (Sc a (j * k))) /\
  (forall j k, same (Sum _ _ (Sc a j) (Sc a k)) (Sc a (j + k))).
Proof.
  repeat split; intros; intro x; simpl; auto.
  - apply linear_zero.
  - apply plus_zero.
  - apply zero_plus.
  - apply linear_plus.
  - apply scale_scale.
  - symmetry. apply plus_scale.
Qed.

(** Two laws that figure 4 lacks. *)
Theorem more_laws a b c : (forall k, same (Sum _ _ (One a) (Sc a k)) (Sc a (1 + k))) /\
  (forall (m : lm b c) (n1 n2 : lm a b), same (Comp _ _ _ m (Sum _ _ n1 n2)) (Sum _ _ (Comp _ _ _ m n1) (Comp _ _ _ m n2))).
Proof. split; intros; intro x; simpl; [now rewrite plus_scale, scale_one | apply linear_plus]. Qed.

(** ** Figure 5
    [tr] is defined by the laws of transposition, and [rapp] by those of reverse application. *)
Theorem transpose_unique a b (m : lm a b) (n : lm b a) :
  (forall s t, dot a (app b a n t) s = dot b t (app a b m s)) -> same n (tr a b m).
Proof. intros H. apply theorem_2_2. intros t s. rewrite H. symmetry. apply adjoint. Qed.

Theorem transpose_twice a b (m : lm a b) : same (tr b a (tr a b m)) m.
Proof.
  intro x. apply dot_determines. intro t. rewrite adjoint, (dotC a), adjoint. apply dotC.
Qed.

Theorem transpose_respects a b (m n : lm a b) : same m n -> same (tr a b m) (tr a b n).
Proof. intros H x. apply dot_determines. intro t. now rewrite !adjoint, H. Qed.

Theorem reverse_apply a b (m : lm a b) r : rapp a b m r = app b a (tr a b m) r.
Proof. symmetry. apply tr_app. Qed.

Theorem reverse_apply_transpose a b (m : lm a b) r : rapp b a (tr a b m) r = app a b m r.
Proof. rewrite reverse_apply. apply transpose_twice. Qed.

(** The law that makes reverse mode efficient: accumulate first, apply once. *)
Theorem accumulate a b (m : lm a b) r s : plus a (rapp a b m r) (rapp a b m s) = rapp a b m (plus b r s).
Proof. rewrite !reverse_apply. symmetry. apply linear_plus. Qed.
