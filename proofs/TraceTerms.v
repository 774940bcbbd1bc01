(** * Reverse-mode differentiation of trace terms

    Paper: Abadi and Plotkin, "A Simple Differentiable Programming Language"; the trace terms of section 3, figure 6,
    theorem 6.1.

    Modelled: trace terms, typed by construction: variables, numbers, sums, products, operations on numbers, local
    definitions, pairs. [reverse] is figure 6: it makes a trace term, for the derivative by one variable. The cotangent is
    one more variable. A local definition differentiates its body twice, by both variables, as printed.

    Proved: [theorem_6_1], that the value of this term is the reverse derivative, also by a variable that others depend on
    through local definitions. *)
From Coq Require Import Reals Psatz List.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

(** ** Types *)
Inductive ty := Real | Unit | Pair (a b : ty).

Fixpoint el (t : ty) : Type := match t with Real => R | Unit => unit | Pair a b => (el a * el b)%type end.

Fixpoint zero (t : ty) : el t := match t with Real => 0 | Unit => tt | Pair a b => (zero a, zero b) end.

Fixpoint plus (t : ty) : el t -> el t -> el t := match t with
  | Real => Rplus
  | Unit => fun _ _ => tt
  | Pair a b => fun x y => (plus a (fst x) (fst y), plus b (snd x) (snd y))
  end.

Fixpoint dot (t : ty) : el t -> el t -> R := match t with
  | Real => Rmult
  | Unit => fun _ _ => 0
  | Pair a b => fun x y => dot a (fst x) (fst y) + dot b (snd x) (snd y)
  end.

Lemma dot_zero t : forall x, dot t (zero t) x = 0.
Proof. induction t; simpl; intros; rewrite ?IHt1, ?IHt2; ring. Qed.

Lemma dot_zero_r t : forall x, dot t x (zero t) = 0.
Proof. induction t; simpl; intros; rewrite ?IHt1, ?IHt2; ring. Qed.

Lemma dot_plus t : forall x y z, dot t (plus t x y) z = dot t x z + dot t y z.
Proof. induction t; simpl; intros; rewrite ?IHt1, ?IHt2; ring. Qed.

(** The derivative of a curve, part by part. *)
Fixpoint derives (t : ty) : (R -> el t) -> R -> el t -> Prop := match t with
  | Real => fun x s dx => is_derive x s dx
  | Unit => fun _ _ _ => True
  | Pair a b => fun x s dx => derives a (fun s => fst (x s)) s (fst dx) /\ derives b (fun s => snd (x s)) s (snd dx)
  end.

Lemma derives_constant t x s : derives t (fun _ => x) s (zero t).
Proof. induction t; simpl; auto. apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule)). Qed.

Lemma derives_dot t : forall w x s dx, derives t x s dx -> is_derive (fun s => dot t w (x s)) s (dot t w dx).
Proof.
  induction t; simpl; intros w x s dx H.
  - now apply (is_derive_scal x).
  - apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) 0).
  - destruct H as [H K]. apply (is_derive_plus (fun s => dot t1 (fst w) (fst (x s))) (fun s => dot t2 (snd w) (snd (x s)))).
    + now apply (IHt1 (fst w) (fun s => fst (x s))).
    + now apply (IHt2 (snd w) (fun s => snd (x s))).
Qed.

(** ** Terms
    [op] has operations on numbers; the derivative of each is one of them. *)
Section Operations.
Variable op : Type.
Variable value : op -> R -> R.
Variable prime : op -> op.
Variable prime_right : forall o x, is_derive (value o) x (value (prime o) x).

Inductive var : list ty -> ty -> Type :=
  | VZ g t : var (t :: g) t
  | VS g t u (v : var g t) : var (u :: g) t.
Arguments VZ {g t}. Arguments VS {g t u}.

Inductive term : list ty -> ty -> Type :=
  | Var g t (v : var g t) : term g t
  | Const g (k : R) : term g Real
  | Zero g t : term g t
  | Plus g t (c d : term g t) : term g t
  | Mul g (c d : term g Real) : term g Real
  | Op g (o : op) (c : term g Real) : term g Real
  | Let g t u (c : term g t) (d : term (t :: g) u) : term g u
  | Star g : term g Unit
  | Both g t u (c : term g t) (d : term g u) : term g (Pair t u)
  | Fst g t u (c : term g (Pair t u)) : term g t
  | Snd g t u (c : term g (Pair t u)) : term g u.
Arguments Var {g t}. Arguments Const {g}. Arguments Zero {g t}. Arguments Plus {g t}. Arguments Mul {g}.
Arguments Op {g}. Arguments Let {g t u}. Arguments Star {g}. Arguments Both {g t u}. Arguments Fst {g t u}.
Arguments Snd {g t u}.

Fixpoint env (g : list ty) : Type := match g with [] => unit | t :: g => (el t * env g)%type end.

Fixpoint look {g t} (v : var g t) : env g -> el t := match v with
  | VZ _ _ => fun r => fst r
  | VS _ _ _ v => fun r => look v (snd r)
  end.

Fixpoint meaning {g t} (c : term g t) : env g -> el t := match c with
  | Var _ _ v => look v
  | Const _ k => fun _ => k
  | Zero _ _ => fun _ => zero _
  | Plus _ _ c d => fun r => plus _ (meaning c r) (meaning d r)
  | Mul _ c d => fun r => meaning c r * meaning d r
  | Op _ o c => fun r => value o (meaning c r)
  | Let _ _ _ c d => fun r => meaning d (meaning c r, r)
  | Star _ => fun _ => tt
  | Both _ _ _ c d => fun r => (meaning c r, meaning d r)
  | Fst _ _ _ c => fun r => fst (meaning c r)
  | Snd _ _ _ c => fun r => snd (meaning c r)
  end.

(** ** Renaming: a variable of [h] for each one of [g] *)
Fixpoint renaming (g h : list ty) : Type := match g with [] => unit | t :: g => (var h t * renaming g h)%type end.

Fixpoint get {g h t} (v : var g t) : renaming g h -> var h t := match v with
  | VZ _ _ => fun f => fst f
  | VS _ _ _ v => fun f => get v (snd f)
  end.

Fixpoint shift {g h} u : renaming g h -> renaming g (u :: h) := match g with
  | [] => fun _ => tt
  | t :: g => fun f => (VS (fst f), shift u (snd f))
  end.

Fixpoint same g : renaming g g := match g with [] => tt | t :: g => (VZ, shift t (same g)) end.

Fixpoint rename {g t} (c : term g t) : forall h, renaming g h -> term h t := match c with
  | Var _ _ v => fun h f => Var (get v f)
  | Const _ k => fun h f => Const k
  | Zero _ _ => fun h f => Zero
  | Plus _ _ c d => fun h f => Plus (rename c h f) (rename d h f)
  | Mul _ c d => fun h f => Mul (rename c h f) (rename d h f)
  | Op _ o c => fun h f => Op o (rename c h f)
  | Let _ t _ c d => fun h f => Let (rename c h f) (rename d (t :: h) (VZ, shift t f))
  | Star _ => fun h f => Star
  | Both _ _ _ c d => fun h f => Both (rename c h f) (rename d h f)
  | Fst _ _ _ c => fun h f => Fst (rename c h f)
  | Snd _ _ _ c => fun h f => Snd (rename c h f)
  end.

Fixpoint pick {g h} : renaming g h -> env h -> env g := match g with
  | [] => fun _ _ => tt
  | t :: g => fun f r => (look (fst f) r, pick (snd f) r)
  end.

Lemma look_get g t (v : var g t) h : forall (f : renaming g h) r, look (get v f) r = look v (pick f r).
Proof. induction v; simpl; auto. Qed.

Lemma pick_shift g h u : forall (f : renaming g h) x r, pick (shift u f) (x, r) = pick f r.
Proof. induction g; simpl; intros f x r; [reflexivity | now rewrite IHg]. Qed.

Lemma pick_same g : forall r : env g, pick (same g) r = r.
Proof. induction g; simpl; intro r; destruct r; [reflexivity|]. now rewrite pick_shift, IHg. Qed.

Lemma meaning_rename g t (c : term g t) : forall h (f : renaming g h) r, meaning (rename c h f) r = meaning c (pick f r).
Proof.
  induction c; simpl; intros h f r; try congruence.
  - apply look_get.
  - rewrite IHc1, IHc2. simpl. now rewrite pick_shift.
Qed.

Definition up {g t} u (c : term g t) : term (u :: g) t := rename c (u :: g) (shift u (same g)).

Lemma meaning_up g t u (c : term g t) x r : meaning (up u c) (x, r) = meaning c r.
Proof. unfold up. now rewrite meaning_rename, pick_shift, pick_same. Qed.

(** ** Figure 6 *)

(** A term for each variable; one for variable [v], and zero for the others. *)
Fixpoint terms (h g : list ty) : Type := match g with [] => unit | t :: g => (term h t * terms h g)%type end.

Fixpoint zeros h g : terms h g := match g with [] => tt | t :: g => (Zero, zeros h g) end.

Fixpoint onehot {h g t} (v : var g t) : term h t -> terms h g := match v with
  | VZ g _ => fun w => (w, zeros h g)
  | VS _ _ _ v => fun w => (Zero, onehot v w)
  end.

Fixpoint component {h g t} (v : var g t) : terms h g -> term h t := match v with
  | VZ _ _ => fun ws => fst ws
  | VS _ _ _ v => fun ws => component v (snd ws)
  end.

(** [c] has a cotangent as its variable 0: here it is [w], which knows another cotangent instead. *)
Definition at_cotangent {g s u t} (w : term (s :: g) u) (c : term (u :: g) t) : term (s :: g) t :=
  Let w (rename c (u :: s :: g) (VZ, shift u (shift s (same g)))).

Definition swap g t u : renaming (u :: t :: g) (t :: u :: g) := (VS VZ, (VZ, shift t (shift u (same g)))).

(** The derivative of [c] by the variable [v]; variable 0 of the new term is the cotangent. *)
Fixpoint reverse {g u t} (v : var g t) (c : term g u) : term (u :: g) t := match c with
  | Var _ _ x => fun v => component v (onehot x (Var VZ)) : term _ _
  | Const _ _ => fun _ => Zero
  | Zero _ _ => fun _ => Zero
  | Plus _ _ c d => fun v => Plus (reverse v c) (reverse v d)
  | Mul _ c d => fun v => Plus (at_cotangent (Mul (Var VZ) (up _ d)) (reverse v c)) (at_cotangent (Mul (Var VZ) (up _ c)) (reverse v d))
  | Op _ o c => fun v => at_cotangent (Mul (Var VZ) (Op (prime o) (up _ c))) (reverse v c)
  | Let g s u c d => fun v => Let (up u c) (Plus
      (rename (reverse (VS v) d) _ (swap g s u))
      (Let (rename (reverse VZ d) _ (swap g s u))
        (rename (reverse v c) _ (VZ, shift s (shift s (shift u (same g)))))))
  | Star _ => fun _ => Zero
  | Both _ _ _ c d => fun v => Plus (at_cotangent (Fst (Var VZ)) (reverse v c)) (at_cotangent (Snd (Var VZ)) (reverse v d))
  | Fst _ _ _ c => fun v => at_cotangent (Both (Var VZ) Zero) (reverse v c)
  | Snd _ _ _ c => fun v => at_cotangent (Both Zero (Var VZ)) (reverse v c)
  end v.

Lemma meaning_at_cotangent g s u t (w : term (s :: g) u) (c : term (u :: g) t) x r :
  meaning (at_cotangent w c) (x, r) = meaning c (meaning w (x, r), r).
Proof. unfold at_cotangent. simpl. rewrite meaning_rename. simpl. now rewrite !pick_shift, pick_same. Qed.

Lemma meaning_swap g t u s (c : term (u :: t :: g) s) x y r : meaning (rename c _ (swap g t u)) (x, (y, r)) = meaning c (y, (x, r)).
Proof. rewrite meaning_rename. simpl. now rewrite !pick_shift, pick_same. Qed.

Lemma meaning_reverse_let g s u t (v : var g t) (c : term g s) (d : term (s :: g) u) w r :
  meaning (reverse v (Let c d)) (w, r) =
  plus t (meaning (reverse (VS v) d) (w, (meaning c r, r)))
    (meaning (reverse v c) (meaning (reverse VZ d) (w, (meaning c r, r)), r)).
Proof.
  cbn [reverse meaning]. rewrite meaning_up, !meaning_swap. f_equal. rewrite meaning_rename. simpl.
  now rewrite !pick_shift, pick_same.
Qed.

(** ** Tangents *)
Fixpoint tangent {g t} (c : term g t) : env g -> env g -> el t := match c with
  | Var _ _ v => fun _ dr => look v dr
  | Const _ _ => fun _ _ => 0
  | Zero _ _ => fun _ _ => zero _
  | Plus _ _ c d => fun r dr => plus _ (tangent c r dr) (tangent d r dr)
  | Mul _ c d => fun r dr => tangent c r dr * meaning d r + meaning c r * tangent d r dr
  | Op _ o c => fun r dr => tangent c r dr * value (prime o) (meaning c r)
  | Let _ _ _ c d => fun r dr => tangent d (meaning c r, r) (tangent c r dr, dr)
  | Star _ => fun _ _ => tt
  | Both _ _ _ c d => fun r dr => (tangent c r dr, tangent d r dr)
  | Fst _ _ _ c => fun r dr => fst (tangent c r dr)
  | Snd _ _ _ c => fun r dr => snd (tangent c r dr)
  end.

Fixpoint derives_env (g : list ty) : (R -> env g) -> R -> env g -> Prop := match g with
  | [] => fun _ _ _ => True
  | t :: g => fun r s dr => derives t (fun s => fst (r s)) s (fst dr) /\ derives_env g (fun s => snd (r s)) s (snd dr)
  end.

Lemma derives_env_constant g r s : exists dr, derives_env g (fun _ => r) s dr /\ forall t (v : var g t), look v dr = zero t.
Proof.
  induction g as [|t g IH]; [now exists tt|]. destruct r as [x r]. destruct (IH r) as (dr & D & Z). exists (zero t, dr). split.
  - split; [exact (derives_constant t x s) | exact D].
  - intros u v. revert Z. refine (match v in var h u return match h as h return var h u -> Prop with
      | [] => fun _ => True
      | t :: g => fun v => forall dr : env g, (forall t0 (v0 : var g t0), look v0 dr = zero t0) -> look v (zero t, dr) = zero u
      end v with VZ _ _ => _ | VS _ _ _ v => _ end dr); simpl; auto.
Qed.

Lemma derives_look g t (v : var g t) : forall r s dr, derives_env g r s dr -> derives t (fun s => look v (r s)) s (look v dr).
Proof.
  induction v; simpl; intros r s dr [H K]; [exact H|]. exact (IHv (fun s => snd (r s)) s (snd dr) K).
Qed.

Lemma derives_plus t : forall x y s dx dy, derives t x s dx -> derives t y s dy ->
  derives t (fun s => plus t (x s) (y s)) s (plus t dx dy).
Proof.
  induction t; simpl; intros x y s dx dy H K.
  - now apply (is_derive_plus x y).
  - exact I.
  - destruct H as [H H'], K as [K K']. split.
    + exact (IHt1 (fun s => fst (x s)) (fun s => fst (y s)) s _ _ H K).
    + exact (IHt2 (fun s => snd (x s)) (fun s => snd (y s)) s _ _ H' K').
Qed.

Theorem tangent_right g t (c : term g t) : forall r s dr, derives_env g r s dr ->
  derives t (fun s => meaning c (r s)) s (tangent c (r s) dr).
Proof.
  induction c; simpl; intros r s dr H.
  - now apply derives_look.
  - apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule)).
  - apply derives_constant.
  - apply derives_plus; auto.
  - apply (is_derive_mult (fun s => meaning c1 (r s)) (fun s => meaning c2 (r s)) s); [now apply IHc1 | now apply IHc2 |].
    intros; apply Rmult_comm.
  - apply (is_derive_comp (value o) (fun s => meaning c (r s))); [apply prime_right | now apply IHc].
  - apply (IHc2 (fun s => (meaning c1 (r s), r s)) s (tangent c1 (r s) dr, dr)). split; [now apply IHc1 | exact H].
  - exact I.
  - split; [exact (IHc1 r s dr H) | exact (IHc2 r s dr H)].
  - apply (IHc r s dr H).
  - apply (IHc r s dr H).
Qed.

(** ** Adjointness *)

(** The sum of products over all variables. *)
Fixpoint over (g : list ty) : (forall t, var g t -> el t) -> env g -> R := match g with
  | [] => fun _ _ => 0
  | t :: g => fun f dr => dot t (f t VZ) (fst dr) + over g (fun u v => f u (VS v)) (snd dr)
  end.

Lemma over_ext g : forall f f' dr, (forall t v, f t v = f' t v) -> over g f dr = over g f' dr.
Proof. induction g; simpl; intros f f' dr H; [reflexivity|]. rewrite H. f_equal. now apply IHg. Qed.

Lemma over_zero g : forall dr, over g (fun t _ => zero t) dr = 0.
Proof. induction g; simpl; intro dr; [reflexivity|]. rewrite dot_zero, IHg. ring. Qed.

Lemma over_plus g : forall f f' dr, over g (fun t v => plus t (f t v) (f' t v)) dr = over g f dr + over g f' dr.
Proof. induction g; simpl; intros f f' dr; [ring|]. rewrite dot_plus, IHg. ring. Qed.

Lemma component_zeros h g t (v : var g t) (r : env h) : meaning (component v (zeros h g)) r = zero t.
Proof. induction v; simpl; auto. Qed.

Lemma over_onehot h g t (x : var g t) (w : term h t) r : forall dr,
  over g (fun u v => meaning (component v (onehot x w)) r) dr = dot t (meaning w r) (look x dr).
Proof.
  induction x; simpl; intro dr.
  - rewrite (over_ext g _ (fun t _ => zero t)) by (intros; apply component_zeros). rewrite over_zero. ring.
  - rewrite dot_zero, IHx. ring.
Qed.

(** The derivatives by all variables are adjoint to the tangent. *)
Theorem reverse_adjoint g u (c : term g u) : forall r w dr,
  over g (fun t v => meaning (reverse v c) (w, r)) dr = dot u w (tangent c r dr).
Proof.
  induction c; intros r w dr.
  - apply (over_onehot (t :: g) g t v (Var VZ) (w, r)).
  - simpl. rewrite over_zero. ring.
  - simpl. now rewrite over_zero, dot_zero_r.
  - cbn [reverse meaning tangent]. rewrite over_plus, IHc1, IHc2.
    assert (D : forall t x y z, dot t x (plus t y z) = dot t x y + dot t x z).
    { induction t0; simpl; intros; rewrite ?IHt0_1, ?IHt0_2; ring. }
    now rewrite D.
  - cbn [reverse meaning tangent]. rewrite over_plus. rewrite (over_ext g _
    (fun t v => meaning (reverse v c1) (w * meaning c2 r, r))).
    + rewrite (over_ext g (fun t v => meaning (at_cotangent _ (reverse v c2)) _)
      (fun t v => meaning (reverse v c2) (w * meaning c1 r, r))).
      * rewrite IHc1, IHc2. simpl. ring.
      * intros. rewrite meaning_at_cotangent. simpl. now rewrite meaning_up.
    + intros. rewrite meaning_at_cotangent. simpl. now rewrite meaning_up.
  - cbn [reverse tangent]. rewrite (over_ext g _ (fun t v => meaning (reverse v c) (w * value (prime o) (meaning c r), r))).
    + rewrite IHc. simpl. ring.
    + intros. rewrite meaning_at_cotangent. simpl. now rewrite meaning_up.
  - cbn [tangent]. rewrite (over_ext g _ (fun t0 v => plus t0 (meaning (reverse (VS v) c2) (w, (meaning c1 r, r)))
      (meaning (reverse v c1) (meaning (reverse VZ c2) (w, (meaning c1 r, r)), r)))) by (intros; apply meaning_reverse_let).
    rewrite over_plus, IHc1. etransitivity; [|exact (IHc2 (meaning c1 r, r) w (tangent c1 r dr, dr))]. cbn [over fst snd]. ring.
  - simpl. rewrite over_zero. reflexivity.
  - cbn [reverse meaning tangent]. rewrite over_plus. rewrite (over_ext g _ (fun t0 v => meaning (reverse v c1) (fst w, r))).
    + rewrite (over_ext g (fun t v => meaning (at_cotangent _ (reverse v c2)) _)
      (fun t v => meaning (reverse v c2) (snd w, r))).
      * now rewrite IHc1, IHc2.
      * intros. now rewrite meaning_at_cotangent.
    + intros. now rewrite meaning_at_cotangent.
  - cbn [reverse tangent]. rewrite (over_ext g _ (fun t0 v => meaning (reverse v c) ((w, zero u), r))).
    + rewrite IHc. simpl. rewrite dot_zero. ring.
    + intros. now rewrite meaning_at_cotangent.
  - cbn [reverse tangent]. rewrite (over_ext g _ (fun t0 v => meaning (reverse v c) ((zero t, w), r))).
    + rewrite IHc. simpl. rewrite dot_zero. ring.
    + intros. now rewrite meaning_at_cotangent.
Qed.

(** ** Theorem 6.1 *)

(** An environment with another value for one variable. *)
Fixpoint set {g t} (v : var g t) : el t -> env g -> env g := match v with
  | VZ _ _ => fun x r => (x, snd r)
  | VS _ _ _ v => fun x r => (fst r, set v x (snd r))
  end.

Lemma set_look g t (v : var g t) : forall r, set v (look v r) r = r.
Proof. induction v; simpl; intros [x r]; [reflexivity|]. simpl. now rewrite IHv. Qed.

Lemma derives_set g t (v : var g t) : forall r x s dx, derives t x s dx ->
  exists dr, derives_env g (fun s => set v (x s) r) s dr /\ forall f, over g f dr = dot t (f t v) dx.
Proof.
  induction v; intros [y r] x s dx H.
  - destruct (derives_env_constant g r s) as (dr & D & Z). exists (dx, dr). split; [now split|]. intro f. simpl.
    assert (O : forall g dr, (forall t (v : var g t), look v dr = zero t) -> forall f, over g f dr = 0).
    { induction g0; simpl; intros dr' Z' f'; [reflexivity|]. destruct dr' as [z dr'].
      assert (E : z = zero a) by exact (Z' a VZ). subst z. simpl.
      rewrite (IHg0 dr' (fun u v => Z' u (VS v))), dot_zero_r. ring. }
    rewrite (O g dr Z). ring.
  - destruct (IHv r x s dx H) as (dr & D & O). exists (zero u, dr). split.
    + split; [exact (derives_constant u y s) | exact D].
    + intro f. simpl. rewrite dot_zero_r, O. ring.
Qed.

(** [g] is what the reverse derivative of [f] at [x] gives for the cotangent [w]. *)
Definition gradient (t u : ty) (f : el t -> el u) (x : el t) (w : el u) (g : el t) : Prop :=
  forall (y : R -> el t) s dy, y s = x -> derives t y s dy -> is_derive (fun s => dot u w (f (y s))) s (dot t g dy).

Theorem theorem_6_1 g u t (v : var g t) (c : term g u) r w :
  gradient t u (fun x => meaning c (set v x r)) (look v r) w (meaning (reverse v c) (w, r)).
Proof.
  intros y s dy E D. destruct (derives_set g t v r y s dy D) as (dr & H & O).
  generalize (derives_dot u w _ s _ (tangent_right g u c (fun s => set v (y s) r) s dr H)).
  rewrite <- reverse_adjoint, E, set_look, O. exact (fun K => K).
Qed.
End Operations.
