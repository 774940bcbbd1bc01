(** * The evaluation of bindings is correct

    Paper: Krawiec and others, "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD";
    figure 11, lemma 10, theorems 6 and 9.

    Modelled: [eval_delta] walks one delta with a number that scales it, and adds to a map in place. [eval_binds] goes
    through the bindings, newest first. It takes what the map has for a binding and evaluates the binding with it. So
    each binding is looked at once.

    Proved: [lemma_10]; [eval_correct], that evaluation gives the adjoint of the meaning of the bindings;
    [theorem_9], that the meaning of the bindings of a translated term is the derivative of the term along
    each curve of its inputs; and [theorem_6], that translation and evaluation together give the cotangent of the result
    times each partial derivative. *)
From Coq Require Import Reals Psatz List Arith Lia.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import ForwardMode DeltaTranslation.
Open Scope R_scope.

Fixpoint sum_below (n : nat) (u v : nat -> R) : R := match n with O => 0 | S n => sum_below n u v + u n * v n end.

Definition add_at (i : nat) (x : R) (u : nat -> R) : nat -> R := fun j => if Nat.eqb j i then u j + x else u j.

Fixpoint eval_delta (x : R) (d : delta) (u : nat -> R) : nat -> R := match d with
  | DZero => u
  | DScale k d => eval_delta (x * k) d u
  | DAdd d e => eval_delta x e (eval_delta x d u)
  | DVar i => add_at i x u
  end.

Fixpoint eval_binds (a : nat) (s : binds) (u : nat -> R) : nat -> R := match s with
  | nil => u
  | d :: s => eval_binds a s (eval_delta (u (a + length s)%nat) d u)
  end.

Lemma sumn_add n i x u v : sum_below n (add_at i x u) v = sum_below n u v + (if (i <? n)%nat then x * v i else 0).
Proof. induction n; simpl. ring. rewrite IHn. unfold add_at.
  destruct (Nat.eqb_spec n i), (Nat.ltb_spec i n), (Nat.ltb_spec i (S n)); subst; try lia; ring. Qed.

Lemma lemma_10 n v d : scoped n d -> forall x u, sum_below n (eval_delta x d u) v = sum_below n u v + x * interpret v d.
Proof. induction d; simpl; intros S x u. ring. rewrite IHd; auto; ring. destruct S. rewrite IHd2, IHd1; auto;
  ring. rewrite sumn_add. destruct (Nat.ltb_spec i n); [ring | lia]. Qed.

Lemma sumn_ext n u v v' : (forall i, (i < n)%nat -> v i = v' i) -> sum_below n u v = sum_below n u v'.
Proof. induction n; simpl; intros; auto. rewrite IHn, H; auto. Qed.

Theorem eval_correct a g0 s : well_scoped a s -> forall u, sum_below a (eval_binds a s u) g0 = sum_below (a + length s) u (interpret_all a g0 s).
Proof. induction s as [|d s IH]; simpl; intros W u. now rewrite Nat.add_0_r. destruct W as [S W].
  rewrite IH, lemma_10; auto.
 replace (a + Datatypes.S (length s))%nat with (Datatypes.S (a + length s)) by lia. simpl. rewrite Nat.eqb_refl.
   f_equal.
 apply sumn_ext. intros i L. destruct (Nat.eqb_spec i (a + length s)); [lia | auto]. Qed.

(* * Theorems 9 and 6

   A term of [a] real inputs; input [i] is the variable with the name [i]. *)

Fixpoint reals (a : nat) : list type := match a with O => nil | S a => TR :: reals a end.

Fixpoint point (a i : nat) (x : nat -> R) : environment (reals a) := match a with
  | O => tt
  | S a => (x i, point a (S i) x)
  end.

Fixpoint dual_point (a i : nat) (x : nat -> R) : translated_environment (reals a) := match a with
  | O => tt
  | S a => ((x i, DVar i), dual_point a (S i) x)
  end.

Lemma inputs_related a (x x' : R -> nat -> R) w : (forall t i, is_derive (fun t => x t i) t (x' t i)) ->
  forall n i, (i + n <= a)%nat ->
  V_context a x' (reals n) w (fun t => point n i (x t)) (fun t => dual_point n i (x t)).
Proof.
  intro D. induction n; simpl; intros i L; [exact I|]. split; [|apply IHn; lia].
  split; [reflexivity|]. exists (fun t => x' t i). intro t. split; [apply D|]. split; [simpl; lia|]. simpl.
  generalize (w t). induction b as [|d b IH]; simpl; auto.
  destruct (Nat.eqb_spec i (a + length b)); [lia | exact IH].
Qed.

(* Theorem 9: translating, then the meaning of the bindings. Bindings name older ones only. *)
Theorem theorem_9 a (e : term (reals a) TR) (x x' : R -> nat -> R) :
  (forall t i, is_derive (fun t => x t i) t (x' t i)) -> forall t,
  let (y, bindings) := translate a _ _ e (dual_point a 0 (x t)) nil in
  fst y = eval _ _ e (point a 0 (x t)) /\ well_scoped a bindings /\ scoped (a + length bindings) (snd y) /\
  is_derive (fun t => eval _ _ e (point a 0 (x t))) t (interpret (interpret_all a (x' t) bindings) (snd y)).
Proof.
  intros D t.
  destruct (fundamental a x' _ _ e (fun _ => nil) _ _ (inputs_related a x x' _ D a 0 (le_n _))) as (w & r & L & Q & P).
  specialize (Q t). simpl in Q. rewrite Q. destruct P as [F [f' G]]. destruct (G t) as (X & Y & Z), (L t) as [_ W].
  split; [apply F|]. split; [now apply W|]. split; [exact Y|]. now rewrite Z.
Qed.

(* What the wrapper of figure 10 does: translate, then evaluate with the cotangent [ybar]. *)
Definition reverse a (e : term (reals a) TR) (x : nat -> R) (ybar : R) : nat -> R :=
  let (y, bindings) := translate a _ _ e (dual_point a 0 x) nil in
  eval_binds a bindings (eval_delta ybar (snd y) (fun _ => 0)).

Lemma sum_below_0 n v : sum_below n (fun _ => 0) v = 0.
Proof. induction n; simpl; [reflexivity|]. rewrite IHn. ring. Qed.

Theorem reverse_along_curves a (e : term (reals a) TR) (x x' : R -> nat -> R) ybar :
  (forall t i, is_derive (fun t => x t i) t (x' t i)) -> forall t,
  is_derive (fun t => ybar * eval _ _ e (point a 0 (x t))) t (sum_below a (reverse a e (x t) ybar) (x' t)).
Proof.
  intros D t. generalize (theorem_9 a e x x' D t). unfold reverse.
  destruct (translate a _ _ e (dual_point a 0 (x t)) nil) as [y b]. intros (_ & W & S & X).
  rewrite eval_correct, lemma_10, sum_below_0 by assumption. rewrite Rplus_0_l.
  apply (is_derive_scal (fun t => eval _ _ e (point a 0 (x t)))). exact X.
Qed.

(* Theorem 6: reverse mode gives the cotangent times each partial derivative. *)
Definition with_input (i : nat) (t : R) (x : nat -> R) : nat -> R := fun j => if Nat.eqb j i then t else x j.

Lemma sum_below_onehot n u i : (i < n)%nat -> sum_below n u (fun j => if Nat.eqb j i then 1 else 0) = u i.
Proof.
  intro L. assert (H : forall m, (m <= i)%nat -> sum_below m u (fun j => if Nat.eqb j i then 1 else 0) = 0).
  { induction m; simpl; intros; [reflexivity|]. rewrite IHm by lia. destruct (Nat.eqb_spec m i); [lia | ring]. }
  induction n; [lia|]. simpl. destruct (Nat.eqb_spec n i).
  - subst. rewrite H by lia. ring.
  - rewrite IHn by lia. ring.
Qed.

Theorem theorem_6 a (e : term (reals a) TR) (x : nat -> R) (ybar : R) (i : nat) : (i < a)%nat ->
  is_derive (fun t => ybar * eval _ _ e (point a 0 (with_input i t x))) (x i) (reverse a e x ybar i).
Proof.
  intro L. set (x' := fun (_ : R) j => if Nat.eqb j i then 1 else 0).
  assert (D : forall t j, is_derive (fun t => with_input i t x j) t (x' t j)).
  { intros t j. unfold with_input, x'. destruct (Nat.eqb j i).
    - apply @is_derive_id.
    - apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) (x j) t). }
  generalize (reverse_along_curves a e (fun t => with_input i t x) x' ybar D (x i)).
  unfold x'. rewrite sum_below_onehot by exact L. intro H.
  replace (reverse a e x ybar i) with (reverse a e (with_input i (x i) x) ybar i); [exact H|].
  assert (E : forall n k, dual_point n k (with_input i (x i) x) = dual_point n k x).
  { induction n; simpl; intro k; [reflexivity|]. rewrite IHn. unfold with_input at 1.
    destruct (Nat.eqb_spec k i); subst; reflexivity. }
  unfold reverse. now rewrite E.
Qed.
