(** * Evaluation and meaning agree

    Paper: Abadi and Plotkin, "A Simple Differentiable Programming Language"; sections 3 and 5, proposition 3.5, theorems 6.2
    and 6.7, with the limited recursion of section 6.2.

    Modelled: the terms of [TraceTerms] with conditionals, calls of functions that may be recursive, and reverse derivatives
    [Rd], which may be nested. A conditional compares two numbers, and neither side is taken if they are equal. [n] bounds how
    deep evaluation goes, calls included. [symbolic] evaluates to a trace term, [ordinary] to a value; a derivative is the
    value of the differentiated trace term, figures 2 to 6. [means] is the denotation, figure 7: a derivative is the gradient
    of a function that the term means on a whole neighbourhood.

    Proved: [interpolation], proposition 3.5; [symbolic_correct], theorem 6.2 (2), that the trace term means the same on a
    neighbourhood; [adequacy], theorems 6.2 (1) and 6.7, that ordinary evaluation gives a value if and only if it is the
    meaning. *)
From Coq Require Import Reals Psatz List.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import TraceTerms.
Import ListNotations.
Open Scope R_scope.

(** ** Neighbourhoods *)
Fixpoint close (t : ty) (eps : R) : el t -> el t -> Prop := match t with
  | Real => fun x y => Rabs (y - x) < eps
  | Unit => fun _ _ => True
  | Pair a b => fun x y => close a eps (fst x) (fst y) /\ close b eps (snd x) (snd y)
  end.

Fixpoint near (g : list ty) (eps : R) : env g -> env g -> Prop := match g with
  | [] => fun _ _ => True
  | t :: g => fun r s => close t eps (fst r) (fst s) /\ near g eps (snd r) (snd s)
  end.

Lemma close_refl t eps x : 0 < eps -> close t eps x x.
Proof. intro E. induction t; simpl; auto. rewrite Rminus_eq_0, Rabs_R0. exact E. Qed.

Lemma near_refl g eps r : 0 < eps -> near g eps r r.
Proof. intro E. induction g; simpl; auto. split; [now apply close_refl | apply IHg]. Qed.

Lemma close_less t d e x y : d <= e -> close t d x y -> close t e x y.
Proof. intro L. induction t; simpl; [lra | auto |]. intros [H K]. split; auto. Qed.

Lemma near_less g d e r s : d <= e -> near g d r s -> near g e r s.
Proof. intro L. induction g; simpl; [auto|]. intros [H K]. split; [now apply (close_less _ d) | auto]. Qed.

Lemma close_plus t eps : forall x y x' y', close t (eps / 2) x x' -> close t (eps / 2) y y' ->
  close t eps (plus t x y) (plus t x' y').
Proof.
  induction t; simpl; intros x y x' y' H K.
  - apply Rabs_def2 in H. apply Rabs_def2 in K. apply Rabs_def1; lra.
  - exact I.
  - destruct H, K. auto.
Qed.

Lemma mul_close eps x y : 0 < eps -> exists d, 0 < d /\ forall x' y', Rabs (x' - x) < d -> Rabs (y' - y) < d ->
  Rabs (x' * y' - x * y) < eps.
Proof.
  intro E. pose proof (Rabs_pos x). pose proof (Rabs_pos y). set (m := Rabs x + Rabs y + 1).
  assert (M : 0 < eps / m) by (apply Rdiv_lt_0_compat; unfold m; lra).
  exists (Rmin 1 (eps / m)). split; [apply Rmin_glb_lt; lra|]. intros x' y' X Y.
  pose proof (Rmin_l 1 (eps / m)). pose proof (Rmin_r 1 (eps / m)). set (d := Rmin 1 (eps / m)) in *.
  assert (X' : Rabs x' < Rabs x + 1).
  { replace x' with (x + (x' - x)) by ring. eapply Rle_lt_trans; [apply Rabs_triang | lra]. }
  replace (x' * y' - x * y) with (x' * (y' - y) + y * (x' - x)) by ring.
  eapply Rle_lt_trans; [apply Rabs_triang|]. rewrite !Rabs_mult.
  assert (D : m * (eps / m) = eps) by (field; unfold m; lra).
  pose proof (Rabs_pos (y' - y)). pose proof (Rabs_pos (x' - x)). pose proof (Rabs_pos x').
  assert (A : Rabs x' * Rabs (y' - y) <= (Rabs x + 1) * Rabs (y' - y)) by (apply Rmult_le_compat_r; lra).
  assert (B : (Rabs x + 1) * Rabs (y' - y) < (Rabs x + 1) * d) by (apply Rmult_lt_compat_l; lra).
  assert (C : Rabs y * Rabs (x' - x) <= Rabs y * d) by (apply Rmult_le_compat_l; lra).
  assert (Z : 0 <= m) by (unfold m; lra). pose proof (Rmult_le_compat_l m d (eps / m) Z ltac:(assumption)).
  assert (Q : m * d = (Rabs x + 1) * d + Rabs y * d) by (unfold m; ring). lra.
Qed.

Section Operations.
Variable op : Type.
Variable value : op -> R -> R.
Variable prime : op -> op.
Variable prime_right : forall o x, is_derive (value o) x (value (prime o) x).
Notation term := (term op).
Notation meaning := (meaning op value).
Notation reverse := (reverse op prime).

Lemma op_close o x eps : 0 < eps -> exists d, 0 < d /\ forall x', Rabs (x' - x) < d -> Rabs (value o x' - value o x) < eps.
Proof.
  intro E. assert (C : continuous (value o) x) by (apply (ex_derive_continuous (value o)); eexists; apply prime_right).
  destruct (C (fun y => Rabs (y - value o x) < eps)) as [d D].
  - exists (mkposreal eps E). intros y Y. exact Y.
  - exists d. split; [apply cond_pos|]. intros x' X. apply D. exact X.
Qed.

(** Trace terms are continuous. *)
Lemma meaning_close g t (c : term g t) : forall r eps, 0 < eps -> exists d, 0 < d /\ forall s, near g d r s ->
  close t eps (meaning c r) (meaning c s).
Proof.
  induction c; simpl; intros r eps E.
  - exists eps. split; [exact E|]. induction v; simpl; intros s [H K]; [exact H | now apply IHv].
  - exists 1. split; [lra|]. intros s _. now apply (close_refl Real).
  - exists 1. split; [lra|]. intros s _. now apply close_refl.
  - destruct (IHc1 r (eps / 2)) as (d & D & H); [lra|]. destruct (IHc2 r (eps / 2)) as (e & D' & H'); [lra|].
    exists (Rmin d e). split; [now apply Rmin_glb_lt|]. intros s N. apply close_plus.
    + apply H. exact (near_less _ _ _ _ _ (Rmin_l d e) N).
    + apply H'. exact (near_less _ _ _ _ _ (Rmin_r d e) N).
  - destruct (mul_close eps (meaning c1 r) (meaning c2 r) E) as (m & M & K).
    destruct (IHc1 r m M) as (d & D & H). destruct (IHc2 r m M) as (e & D' & H').
    exists (Rmin d e). split; [now apply Rmin_glb_lt|]. intros s N. apply K.
    + apply H. exact (near_less _ _ _ _ _ (Rmin_l d e) N).
    + apply H'. exact (near_less _ _ _ _ _ (Rmin_r d e) N).
  - destruct (op_close o (meaning c r) eps E) as (m & M & K). destruct (IHc r m M) as (d & D & H).
    exists d. split; [exact D|]. intros s N. apply K. now apply H.
  - destruct (IHc2 (meaning c1 r, r) eps E) as (e & D' & H'). destruct (IHc1 r e D') as (d & D & H).
    exists (Rmin d e). split; [now apply Rmin_glb_lt|]. intros s N. apply H'. split; simpl.
    + apply H. exact (near_less _ _ _ _ _ (Rmin_l d e) N).
    + exact (near_less _ _ _ _ _ (Rmin_r d e) N).
  - exists 1. split; [lra|]. auto.
  - destruct (IHc1 r eps E) as (d & D & H). destruct (IHc2 r eps E) as (e & D' & H').
    exists (Rmin d e). split; [now apply Rmin_glb_lt|]. intros s N. split; simpl.
    + apply H. exact (near_less _ _ _ _ _ (Rmin_l d e) N).
    + apply H'. exact (near_less _ _ _ _ _ (Rmin_r d e) N).
  - destruct (IHc r eps E) as (d & D & H). exists d. split; [exact D|]. intros s N. apply (H s N).
  - destruct (IHc r eps E) as (d & D & H). exists d. split; [exact D|]. intros s N. apply (H s N).
Qed.

(** ** Gradients are unique *)
Lemma derives_close t : forall x s dx eps, 0 < eps -> derives t x s dx -> locally s (fun s' => close t eps (x s) (x s')).
Proof.
  induction t; simpl; intros x s dx eps E H.
  - assert (C : continuous x s) by (apply (ex_derive_continuous x); now exists dx).
    apply (C (fun y => Rabs (y - x s) < eps)). exists (mkposreal eps E). intros y Y. exact Y.
  - now apply filter_forall.
  - destruct H as [H K]. apply filter_and.
    + exact (IHt1 (fun s => fst (x s)) s _ eps E H).
    + exact (IHt2 (fun s => snd (x s)) s _ eps E K).
Qed.

Lemma gradient_local t u f f' x w g eps : 0 < eps -> (forall y, close t eps x y -> f y = f' y) ->
  gradient t u f x w g -> gradient t u f' x w g.
Proof.
  intros E H G y s dy Y D. apply (is_derive_ext_loc (fun s => dot u w (f (y s)))); [|now apply G].
  generalize (derives_close t y s dy eps E D). apply filter_imp. intros s' C. f_equal. apply H. now rewrite <- Y.
Qed.

Fixpoint line (t : ty) : el t -> el t -> R -> el t := match t with
  | Real => fun x dx s => x + s * dx
  | Unit => fun _ _ _ => tt
  | Pair a b => fun x dx s => (line a (fst x) (fst dx) s, line b (snd x) (snd dx) s)
  end.

Lemma line_start t : forall x dx, line t x dx 0 = x.
Proof. induction t; simpl; intros x dx; [ring | now destruct x | destruct x; simpl; now rewrite IHt1, IHt2]. Qed.

Lemma line_derives t : forall x dx, derives t (line t x dx) 0 dx.
Proof.
  induction t; simpl; intros x dx; auto. auto_derive; [exact I | ring].
Qed.

Lemma dot_determines t : forall x y : el t, (forall z, dot t x z = dot t y z) -> x = y.
Proof.
  induction t; simpl; intros x y H.
  - generalize (H 1). lra.
  - now destruct x, y.
  - destruct x as [x x'], y as [y y']. f_equal.
    + apply IHt1. intro z. generalize (H (z, zero t2)). simpl. rewrite !dot_zero_r. lra.
    + apply IHt2. intro z. generalize (H (zero t1, z)). simpl. rewrite !dot_zero_r. lra.
Qed.

Lemma gradient_unique t u f x w g g' : gradient t u f x w g -> gradient t u f x w g' -> g = g'.
Proof.
  intros G G'. apply dot_determines. intro dx.
  generalize (G (line t x dx) 0 dx (line_start t x dx) (line_derives t x dx)).
  generalize (G' (line t x dx) 0 dx (line_start t x dx) (line_derives t x dx)). intros H' H.
  apply is_derive_unique in H. apply is_derive_unique in H'. congruence.
Qed.

(** ** The language *)
Variable name : Type.
Variables parameter result : name -> ty.

Inductive exp : list ty -> ty -> Type :=
  | EVar g t (v : var g t) : exp g t
  | EConst g (k : R) : exp g Real
  | EPlus g t (m n : exp g t) : exp g t
  | EMul g (m n : exp g Real) : exp g Real
  | EOp g (o : op) (m : exp g Real) : exp g Real
  | ELet g t u (m : exp g t) (n : exp (t :: g) u) : exp g u
  | EStar g : exp g Unit
  | EBoth g t u (m : exp g t) (n : exp g u) : exp g (Pair t u)
  | EFst g t u (m : exp g (Pair t u)) : exp g t
  | ESnd g t u (m : exp g (Pair t u)) : exp g u
  | EIf g t (x y : exp g Real) (m n : exp g t) : exp g t                (* if x < y *)
  | ECall g (f : name) (m : exp g (parameter f)) : exp g (result f)
  | ERd g t u (n : exp (t :: g) u) (at_ : exp g t) (w : exp g u) : exp g t.

Variable body : forall f, exp [parameter f] (result f).

Notation "'do' x <- e ; f" := (match e with Some x => f | None => None end)
  (at level 200, x name, e at level 100, f at level 200).

(** One of two, if the numbers differ. *)
Definition choose {A} (x y : R) (a b : option A) : option A :=
  if Rlt_dec x y then a else if Rlt_dec y x then b else None.

Fixpoint symbolic (n : nat) {g t} (m : exp g t) (r : env g) : option (term g t) := match n with
  | O => None
  | S n => match m in exp g t return env g -> option (term g t) with
    | EVar g t v => fun r => Some (Var op g t v)
    | EConst g k => fun r => Some (Const op g k)
    | EPlus g t l m => fun r => do c <- symbolic n l r; do d <- symbolic n m r; Some (Plus op g t c d)
    | EMul g l m => fun r => do c <- symbolic n l r; do d <- symbolic n m r; Some (Mul op g c d)
    | EOp g o m => fun r => do c <- symbolic n m r; Some (Op op g o c)
    | ELet g t u l m => fun r => do c <- symbolic n l r; do d <- symbolic n m (meaning c r, r); Some (Let op g t u c d)
    | EStar g => fun r => Some (Star op g)
    | EBoth g t u l m => fun r => do c <- symbolic n l r; do d <- symbolic n m r; Some (Both op g t u c d)
    | EFst g t u m => fun r => do c <- symbolic n m r; Some (Fst op g t u c)
    | ESnd g t u m => fun r => do c <- symbolic n m r; Some (Snd op g t u c)
    | EIf g t x y l m => fun r => do c <- symbolic n x r; do d <- symbolic n y r;
        choose (meaning c r) (meaning d r) (symbolic n l r) (symbolic n m r)
    | ECall g f m => fun r => do c <- symbolic n m r; do d <- symbolic n (body f) (meaning c r, tt);
        Some (Let op g _ _ c (rename op d (parameter f :: g) (VZ g _, tt)))
    | ERd g t u m l w => fun r => do c <- symbolic n l r; do w <- symbolic n w r; do d <- symbolic n m (meaning c r, r);
        Some (Let op g t t c (Let op (t :: g) u t (up op t w) (reverse (VZ g t) d)))
    end r
  end.

Fixpoint ordinary (n : nat) {g t} (m : exp g t) (r : env g) : option (el t) := match n with
  | O => None
  | S n => match m in exp g t return env g -> option (el t) with
    | EVar _ _ v => fun r => Some (look v r)
    | EConst _ k => fun r => Some k
    | EPlus _ t l m => fun r => do x <- ordinary n l r; do y <- ordinary n m r; Some (plus t x y)
    | EMul _ l m => fun r => do x <- ordinary n l r; do y <- ordinary n m r; Some (x * y)
    | EOp _ o m => fun r => do x <- ordinary n m r; Some (value o x)
    | ELet _ _ _ l m => fun r => do x <- ordinary n l r; ordinary n m (x, r)
    | EStar _ => fun r => Some tt
    | EBoth _ _ _ l m => fun r => do x <- ordinary n l r; do y <- ordinary n m r; Some (x, y)
    | EFst _ _ _ m => fun r => do x <- ordinary n m r; Some (fst x)
    | ESnd _ _ _ m => fun r => do x <- ordinary n m r; Some (snd x)
    | EIf _ _ x y l m => fun r => do x <- ordinary n x r; do y <- ordinary n y r;
        choose x y (ordinary n l r) (ordinary n m r)
    | ECall _ f m => fun r => do x <- ordinary n m r; ordinary n (body f) (x, tt)
    | ERd g t u m l w => fun r => do x <- ordinary n l r; do w <- ordinary n w r; do d <- symbolic n m (x, r);
        Some (meaning (reverse (VZ g t) d) (w, (x, r)))
    end r
  end.

Fixpoint means (n : nat) {g t} (m : exp g t) (r : env g) : el t -> Prop := match n with
  | O => fun _ => False
  | S n => match m in exp g t return env g -> el t -> Prop with
    | EVar _ _ v => fun r z => z = look v r
    | EConst _ k => fun r z => z = k
    | EPlus _ t l m => fun r z => exists x y, means n l r x /\ means n m r y /\ z = plus t x y
    | EMul _ l m => fun r z => exists x y, means n l r x /\ means n m r y /\ z = x * y
    | EOp _ o m => fun r z => exists x, means n m r x /\ z = value o x
    | ELet _ _ _ l m => fun r z => exists x, means n l r x /\ means n m (x, r) z
    | EStar _ => fun r z => z = tt
    | EBoth _ _ _ l m => fun r z => exists x y, means n l r x /\ means n m r y /\ z = (x, y)
    | EFst _ _ _ m => fun r z => exists x, means n m r x /\ z = fst x
    | ESnd _ _ _ m => fun r z => exists x, means n m r x /\ z = snd x
    | EIf _ _ x y l m => fun r z => exists a b, means n x r a /\ means n y r b /\
        (a < b /\ means n l r z \/ b < a /\ means n m r z)
    | ECall _ f m => fun r z => exists x, means n m r x /\ means n (body f) (x, tt) z
    | ERd _ t u m l w => fun r z => exists x y f eps, means n l r x /\ means n w r y /\ 0 < eps /\
        (forall x', close t eps x x' -> means n m (x', r) (f x')) /\ gradient t u f x y z
    end r
  end.

(** ** Proposition 3.5: an evaluation to a value goes by way of a trace term. *)
Theorem interpolation n : forall g t (m : exp g t) r,
  ordinary n m r = match symbolic n m r with Some c => Some (meaning c r) | None => None end.
Proof.
  induction n as [|n IH]; [reflexivity|]. intros g t m r. destruct m; cbn [ordinary symbolic]; rewrite ?IH; auto.
  - destruct (symbolic n m1 r); [|reflexivity]. rewrite ?IH. now destruct (symbolic n m2 r).
  - destruct (symbolic n m1 r); [|reflexivity]. rewrite ?IH. now destruct (symbolic n m2 r).
  - now destruct (symbolic n m r).
  - destruct (symbolic n m1 r); [|reflexivity]. rewrite ?IH. now destruct (symbolic n m2 _).
  - destruct (symbolic n m1 r); [|reflexivity]. rewrite ?IH. now destruct (symbolic n m2 r).
  - now destruct (symbolic n m r).
  - now destruct (symbolic n m r).
  - destruct (symbolic n m1 r) as [c|]; [|reflexivity]. rewrite ?IH. destruct (symbolic n m2 r) as [d|]; [|reflexivity].
    unfold choose. destruct (Rlt_dec _ _); [reflexivity|]. destruct (Rlt_dec _ _); reflexivity.
  - destruct (symbolic n m r) as [c|]; [|reflexivity]. rewrite ?IH. destruct (symbolic n (body f) _) as [d|]; [|reflexivity].
    simpl. now rewrite meaning_rename.
  - destruct (symbolic n m2 r) as [c|]; [|reflexivity]. rewrite ?IH. destruct (symbolic n m3 r) as [w|]; [|reflexivity].
    destruct (symbolic n m1 _) as [d|]; [|reflexivity]. simpl. now rewrite meaning_up.
Qed.

(** ** Theorem 6.2 (2): the trace term means the same on a neighbourhood. *)
Theorem symbolic_correct n : forall g t (m : exp g t) r c, symbolic n m r = Some c ->
  exists d, 0 < d /\ forall s, near g d r s -> means n m s (meaning c s).
Proof.
  induction n as [|n IH]; [discriminate|]. intros g t m r c H.
  assert (BOTH : forall g t u (l : exp g t) (m : exp g u) r c d, symbolic n l r = Some c -> symbolic n m r = Some d ->
    exists e, 0 < e /\ forall s, near g e r s -> means n l s (meaning c s) /\ means n m s (meaning d s)).
  { intros g' t' u' l' m' r' c' d' L M. destruct (IH _ _ _ _ _ L) as (d & D & K), (IH _ _ _ _ _ M) as (e & E & K').
    exists (Rmin d e). split; [now apply Rmin_glb_lt|]. intros s N. split.
    - apply K. exact (near_less _ _ _ _ _ (Rmin_l d e) N).
    - apply K'. exact (near_less _ _ _ _ _ (Rmin_r d e) N). }
  destruct m; cbn [symbolic] in H; cbn [means].
  - injection H as <-. exists 1. split; [lra | reflexivity].
  - injection H as <-. exists 1. split; [lra | reflexivity].
  - destruct (symbolic n m1 r) as [c1|] eqn:C1; [|discriminate]. destruct (symbolic n m2 r) as [c2|] eqn:C2; [|discriminate].
    injection H as <-. destruct (BOTH _ _ _ _ _ _ _ _ C1 C2) as (e & E & K). exists e. split; [exact E|].
    intros s N. destruct (K s N). simpl. eauto.
  - destruct (symbolic n m1 r) as [c1|] eqn:C1; [|discriminate]. destruct (symbolic n m2 r) as [c2|] eqn:C2; [|discriminate].
    injection H as <-. destruct (BOTH _ _ _ _ _ _ _ _ C1 C2) as (e & E & K). exists e. split; [exact E|].
    intros s N. destruct (K s N). simpl. eauto.
  - destruct (symbolic n m r) as [c1|] eqn:C1; [|discriminate]. injection H as <-.
    destruct (IH _ _ _ _ _ C1) as (e & E & K). exists e. split; [exact E|]. intros s N. simpl. eauto.
  - destruct (symbolic n m1 r) as [c1|] eqn:C1; [|discriminate].
    destruct (symbolic n m2 (meaning c1 r, r)) as [c2|] eqn:C2; [|discriminate]. injection H as <-.
    destruct (IH _ _ _ _ _ C1) as (e & E & K). destruct (IH _ _ _ _ _ C2) as (e' & E' & K').
    destruct (meaning_close _ _ c1 r e' E') as (d & D & C).
    exists (Rmin e (Rmin e' d)). split; [repeat apply Rmin_glb_lt; assumption|]. intros s N.
    pose proof (Rmin_l e (Rmin e' d)). pose proof (Rmin_r e (Rmin e' d)). pose proof (Rmin_l e' d). pose proof (Rmin_r e' d).
    exists (meaning c1 s). split; [apply K; apply (near_less _ _ e) in N; [exact N | lra]|]. simpl.
    apply (K' (meaning c1 s, s)). split; simpl.
    + apply C. apply (near_less _ _ d) in N; [exact N | lra].
    + apply (near_less _ _ e') in N; [exact N | lra].
  - injection H as <-. exists 1. split; [lra | reflexivity].
  - destruct (symbolic n m1 r) as [c1|] eqn:C1; [|discriminate]. destruct (symbolic n m2 r) as [c2|] eqn:C2; [|discriminate].
    injection H as <-. destruct (BOTH _ _ _ _ _ _ _ _ C1 C2) as (e & E & K). exists e. split; [exact E|].
    intros s N. destruct (K s N). simpl. eauto.
  - destruct (symbolic n m r) as [c1|] eqn:C1; [|discriminate]. injection H as <-.
    destruct (IH _ _ _ _ _ C1) as (e & E & K). exists e. split; [exact E|]. intros s N. simpl. eauto.
  - destruct (symbolic n m r) as [c1|] eqn:C1; [|discriminate]. injection H as <-.
    destruct (IH _ _ _ _ _ C1) as (e & E & K). exists e. split; [exact E|]. intros s N. simpl. eauto.
  - destruct (symbolic n m1 r) as [c1|] eqn:C1; [|discriminate]. destruct (symbolic n m2 r) as [c2|] eqn:C2; [|discriminate].
    destruct (BOTH _ _ _ _ _ _ _ _ C1 C2) as (e & E & K). unfold choose in H.
    (* the numbers stay apart *)
    assert (APART : forall (a b : term g Real), meaning a r < meaning b r -> exists d, 0 < d /\
      forall s, near g d r s -> meaning a s < meaning b s).
    { intros a b L. set (h := (meaning b r - meaning a r) / 2). assert (P : 0 < h) by (unfold h; lra).
      destruct (meaning_close _ _ a r h P) as (d & D & A), (meaning_close _ _ b r h P) as (d' & D' & B).
      exists (Rmin d d'). split; [now apply Rmin_glb_lt|]. intros s N.
      generalize (A s (near_less _ _ _ _ _ (Rmin_l d d') N)), (B s (near_less _ _ _ _ _ (Rmin_r d d') N)). simpl.
      intros A' B'. apply Rabs_def2 in A'. apply Rabs_def2 in B'. unfold h in *. lra. }
    destruct (Rlt_dec (meaning c1 r) (meaning c2 r)) as [L|_]; [|destruct (Rlt_dec (meaning c2 r) (meaning c1 r)) as [L|_];
      [|discriminate]].
    + destruct (APART _ _ L) as (d & D & A). destruct (IH _ _ _ _ _ H) as (d' & D' & K').
      exists (Rmin e (Rmin d d')). split; [repeat apply Rmin_glb_lt; assumption|]. intros s N.
      pose proof (Rmin_l e (Rmin d d')). pose proof (Rmin_r e (Rmin d d')). pose proof (Rmin_l d d'). pose proof (Rmin_r d d').
      destruct (K s) as [X Y]; [apply (near_less _ _ e) in N; [exact N | lra]|].
      exists (meaning c1 s), (meaning c2 s). split; [exact X|]. split; [exact Y|]. left. split.
      * apply A. apply (near_less _ _ d) in N; [exact N | lra].
      * apply K'. apply (near_less _ _ d') in N; [exact N | lra].
    + destruct (APART _ _ L) as (d & D & A). destruct (IH _ _ _ _ _ H) as (d' & D' & K').
      exists (Rmin e (Rmin d d')). split; [repeat apply Rmin_glb_lt; assumption|]. intros s N.
      pose proof (Rmin_l e (Rmin d d')). pose proof (Rmin_r e (Rmin d d')). pose proof (Rmin_l d d'). pose proof (Rmin_r d d').
      destruct (K s) as [X Y]; [apply (near_less _ _ e) in N; [exact N | lra]|].
      exists (meaning c1 s), (meaning c2 s). split; [exact X|]. split; [exact Y|]. right. split.
      * apply A. apply (near_less _ _ d) in N; [exact N | lra].
      * apply K'. apply (near_less _ _ d') in N; [exact N | lra].
  - destruct (symbolic n m r) as [c1|] eqn:C1; [|discriminate].
    destruct (symbolic n (body f) (meaning c1 r, tt)) as [c2|] eqn:C2; [|discriminate]. injection H as <-.
    destruct (IH _ _ _ _ _ C1) as (e & E & K). destruct (IH _ _ _ _ _ C2) as (e' & E' & K').
    destruct (meaning_close _ _ c1 r e' E') as (d & D & C).
    exists (Rmin e d). split; [now apply Rmin_glb_lt|]. intros s N. exists (meaning c1 s). split.
    + apply K. exact (near_less _ _ _ _ _ (Rmin_l e d) N).
    + simpl. rewrite meaning_rename. apply (K' (meaning c1 s, tt)). split; [|exact I]. simpl.
      apply C. exact (near_less _ _ _ _ _ (Rmin_r e d) N).
  - destruct (symbolic n m2 r) as [c2|] eqn:C2; [|discriminate]. destruct (symbolic n m3 r) as [c3|] eqn:C3; [|discriminate].
    destruct (symbolic n m1 (meaning c2 r, r)) as [c1|] eqn:C1; [|discriminate]. injection H as <-.
    destruct (BOTH _ _ _ _ _ _ _ _ C2 C3) as (e & E & K). destruct (IH _ _ _ _ _ C1) as (e' & E' & K').
    destruct (meaning_close _ _ c2 r (e' / 2)) as (d & D & C); [lra|].
    exists (Rmin e (Rmin e' d)). split; [repeat apply Rmin_glb_lt; assumption|]. intros s N.
    pose proof (Rmin_l e (Rmin e' d)). pose proof (Rmin_r e (Rmin e' d)). pose proof (Rmin_l e' d). pose proof (Rmin_r e' d).
    destruct (K s) as [X Y]; [apply (near_less _ _ e) in N; [exact N | lra]|].
    exists (meaning c2 s), (meaning c3 s), (fun x => meaning c1 (x, s)), (e' / 2).
    split; [exact X|]. split; [exact Y|]. split; [lra|]. split.
    + intros x' X'. apply (K' (x', s)). split; simpl.
      * replace e' with (e' / 2 + e' / 2) by field. revert X'. assert (Q : close t (e' / 2) (meaning c2 r) (meaning c2 s)).
        { apply C. apply (near_less _ _ d) in N; [exact N | lra]. }
        revert Q. generalize (meaning c2 r), (meaning c2 s). clear. induction t; simpl; intros x y P Q; auto.
        -- apply Rabs_def2 in P. apply Rabs_def2 in Q. apply Rabs_def1; lra.
        -- destruct P, Q. eauto.
      * apply (near_less _ _ e') in N; [exact N | lra].
    + simpl. rewrite meaning_up.
      exact (theorem_6_1 op value prime prime_right (t :: g) u t (VZ g t) c1 (meaning c2 s, s) (meaning c3 s)).
Qed.

(** ** Theorems 6.2 (1) and 6.7 *)
Theorem ordinary_correct n g t (m : exp g t) r z : ordinary n m r = Some z -> means n m r z.
Proof.
  rewrite interpolation. destruct (symbolic n m r) as [c|] eqn:C; [|discriminate]. intro H. injection H as <-.
  destruct (symbolic_correct n _ _ _ _ _ C) as (d & D & K). apply K. now apply near_refl.
Qed.

Theorem complete n : forall g t (m : exp g t) r z, means n m r z -> ordinary n m r = Some z.
Proof.
  induction n as [|n IH]; [contradiction|]. intros g t m r z H. destruct m; cbn [means] in H; cbn [ordinary].
  - now rewrite H.
  - now rewrite H.
  - destruct H as (x & y & X & Y & ->). now rewrite (IH _ _ _ _ _ X), (IH _ _ _ _ _ Y).
  - destruct H as (x & y & X & Y & ->). now rewrite (IH _ _ _ _ _ X), (IH _ _ _ _ _ Y).
  - destruct H as (x & X & ->). now rewrite (IH _ _ _ _ _ X).
  - destruct H as (x & X & Y). rewrite (IH _ _ _ _ _ X). now apply IH.
  - now rewrite H.
  - destruct H as (x & y & X & Y & ->). now rewrite (IH _ _ _ _ _ X), (IH _ _ _ _ _ Y).
  - destruct H as (x & X & ->). now rewrite (IH _ _ _ _ _ X).
  - destruct H as (x & X & ->). now rewrite (IH _ _ _ _ _ X).
  - destruct H as (a & b & A & B & H). rewrite (IH _ _ _ _ _ A), (IH _ _ _ _ _ B). unfold choose.
    destruct H as [[L H] | [L H]]; destruct (Rlt_dec a b), (Rlt_dec b a); try lra; now apply IH.
  - destruct H as (x & X & Y). rewrite (IH _ _ _ _ _ X). now apply IH.
  - destruct H as (x & y & f & eps & X & Y & E & F & G). rewrite (IH _ _ _ _ _ X), (IH _ _ _ _ _ Y).
    assert (V := IH _ _ _ _ _ (F x (close_refl t eps x E))). rewrite interpolation in V.
    destruct (symbolic n m1 (x, r)) as [c|] eqn:C; [|discriminate].
    destruct (symbolic_correct n _ _ _ _ _ C) as (d & D & K). f_equal.
    apply (gradient_unique t u f x y); [|exact G].
    apply (gradient_local t u (fun x => meaning c (x, r)) f x y _ (Rmin d eps)); [now apply Rmin_glb_lt | |].
    + intros x' X'. assert (M : means n m1 (x', r) (meaning c (x', r))).
      { apply K. split; simpl; [exact (close_less _ _ _ _ _ (Rmin_l d eps) X') | now apply near_refl]. }
      assert (M' := F x' (close_less _ _ _ _ _ (Rmin_r d eps) X')).
      apply IH in M. apply IH in M'. congruence.
    + exact (theorem_6_1 op value prime prime_right (t :: g) u t (VZ g t) c (x, r) y).
Qed.

Theorem adequacy n g t (m : exp g t) r z : ordinary n m r = Some z <-> means n m r z.
Proof. split; [apply ordinary_correct | apply complete]. Qed.
End Operations.
