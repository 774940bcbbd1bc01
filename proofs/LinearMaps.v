(** * Linear maps and their transposes

    Paper: Ellis, Peyton Jones, Fitzgibbon, "Working notes on automatic differentiation"; figures 3, 4 and 5.

    Modelled: the spaces that tangents live in ([sp]), and nine operators that build linear maps ([lm]). [app] applies
    a map and [rapp] applies it from the other side. [tr] is the transpose by the laws of figure 5.

    Proved: [rp], that the two ways to apply a map are adjoint (the law (RP)); [tr_app], that to apply the transpose is
    to apply from the other side; [adjoint], the definition 2.1 of a transpose, for the transpose by the laws. *)
From Coq Require Import Reals Psatz List.
Open Scope R_scope.

(** Spaces: the unit, a real, a pair, a vector of [n] parts; and their elements. *)
Inductive sp := U | R1 | P (a b : sp) | V (n : nat) (a : sp).

Definition vec (A : Set) := fix vec (k : nat) : Set := match k with O => unit | S k => (A * vec k)%type end.

Fixpoint el (s : sp) : Set := match s with
  | U => unit
  | R1 => R
  | P a b => (el a * el b)%type
  | V n a => vec (el a) n
  end.

Definition vmap2 {A B C : Set} (f : A -> B -> C) := fix go k : vec A k -> vec B k -> vec C k := match k with
  | O => fun _ _ => tt
  | S k => fun u v => (f (fst u) (fst v), go k (snd u) (snd v))
  end.

Definition vmap {A B : Set} (f : A -> B) := fix go k : vec A k -> vec B k := match k with
  | O => fun _ => tt
  | S k => fun u => (f (fst u), go k (snd u))
  end.

Definition vconst {A : Set} (a : A) := fix go k : vec A k := match k with O => tt | S k => (a, go k) end.

Fixpoint zero s : el s := match s with
  | U => tt
  | R1 => 0
  | P a b => (zero a, zero b)
  | V n a => vconst (zero a) n
  end.

Fixpoint plus s : el s -> el s -> el s := match s with
  | U => fun _ _ => tt
  | R1 => Rplus
  | P a b => fun u v => (plus a (fst u) (fst v), plus b (snd u) (snd v))
  | V n a => vmap2 (plus a) n
  end.

Fixpoint scale s (k : R) : el s -> el s := match s with
  | U => fun _ => tt
  | R1 => Rmult k
  | P a b => fun u => (scale a k (fst u), scale b k (snd u))
  | V n a => vmap (scale a k) n
  end.

Definition vdot {A : Set} (d : A -> A -> R) := fix go k : vec A k -> vec A k -> R := match k with
  | O => fun _ _ => 0
  | S k => fun u v => d (fst u) (fst v) + go k (snd u) (snd v)
  end.

Fixpoint dot s : el s -> el s -> R := match s with
  | U => fun _ _ => 0
  | R1 => Rmult
  | P a b => fun u v => dot a (fst u) (fst v) + dot b (snd u) (snd v)
  | V n a => vdot (dot a) n
  end.

(** Linear maps: zero, identity, scaling, composition, sum, pairs and their parts side by side ([VCat], [HCat]), and
    the same for vectors ([VCatV], [HCatV]). *)
Inductive lm : sp -> sp -> Type :=
  | Zero a b : lm a b
  | One a : lm a a
  | Sc a (k : R) : lm a a
  | Comp a b c (m : lm b c) (n : lm a b) : lm a c
  | Sum a b (m n : lm a b) : lm a b
  | VCat a b c (m : lm a b) (n : lm a c) : lm a (P b c)
  | HCat a b c (m : lm a c) (n : lm b c) : lm (P a b) c
  | VCatV k a b (m : nat -> lm a b) : lm a (V k b)
  | HCatV k a b (m : nat -> lm a b) : lm (V k a) b.

Definition vtab {A : Set} (f : nat -> A) := fix go i k : vec A k := match k with
  | O => tt
  | S k => (f i, go (S i) k)
  end.

Definition vsum {A : Set} (z : A) (p : A -> A -> A) {B : Set} (f : nat -> B -> A) :=
  fix go i k : vec B k -> A := match k with
  | O => fun _ => z
  | S k => fun v => p (f i (fst v)) (go (S i) k (snd v))
  end.

(** A map applied to a tangent. *)
Fixpoint app a b (m : lm a b) : el a -> el b := match m with
  | Zero _ b => fun _ => zero b
  | One _ => fun x => x
  | Sc a k => scale a k
  | Comp _ _ _ m n => fun x => app _ _ m (app _ _ n x)
  | Sum _ b m n => fun x => plus b (app _ _ m x) (app _ _ n x)
  | VCat _ _ _ m n => fun x => (app _ _ m x, app _ _ n x)
  | HCat _ _ c m n => fun x => plus c (app _ _ m (fst x)) (app _ _ n (snd x))
  | VCatV k _ _ m => fun x => vtab (fun i => app _ _ (m i) x) 0%nat k
  | HCatV k _ b m => fun x => vsum (zero b) (plus b) (fun i y => app _ _ (m i) y) 0%nat k x
  end.

(** A map applied to a cotangent, from the other side. *)
Fixpoint rapp a b (m : lm a b) : el b -> el a := match m with
  | Zero a _ => fun _ => zero a
  | One _ => fun x => x
  | Sc a k => scale a k
  | Comp _ _ _ m n => fun r => rapp _ _ n (rapp _ _ m r)
  | Sum a _ m n => fun r => plus a (rapp _ _ m r) (rapp _ _ n r)
  | VCat a _ _ m n => fun r => plus a (rapp _ _ m (fst r)) (rapp _ _ n (snd r))
  | HCat _ _ _ m n => fun r => (rapp _ _ m r, rapp _ _ n r)
  | VCatV k a _ m => fun r => vsum (zero a) (plus a) (fun i y => rapp _ _ (m i) y) 0%nat k r
  | HCatV k _ _ m => fun r => vtab (fun i => rapp _ _ (m i) r) 0%nat k
  end.

(** The transpose, by the laws of figure 5. *)
Fixpoint tr a b (m : lm a b) : lm b a := match m with
  | Zero a b => Zero b a
  | One a => One a
  | Sc a k => Sc a k
  | Comp _ _ _ m n => Comp _ _ _ (tr _ _ n) (tr _ _ m)
  | Sum _ _ m n => Sum _ _ (tr _ _ m) (tr _ _ n)
  | VCat _ _ _ m n => HCat _ _ _ (tr _ _ m) (tr _ _ n)
  | HCat _ _ _ m n => VCat _ _ _ (tr _ _ m) (tr _ _ n)
  | VCatV k _ _ m => HCatV k _ _ (fun i => tr _ _ (m i))
  | HCatV k _ _ m => VCatV k _ _ (fun i => tr _ _ (m i))
  end.

Lemma dot0l s : forall x, dot s (zero s) x = 0.
Proof. induction s; simpl; intros; try ring. rewrite IHs1, IHs2; ring. induction n; simpl; [ring|]. rewrite IHs.
  rewrite (IHn (snd x)). ring. Qed.

Lemma dotC s : forall x y, dot s x y = dot s y x.
Proof. induction s; simpl; intros; try ring. rewrite IHs1, IHs2; ring. induction n; simpl; [ring|]. rewrite IHs.
  rewrite (IHn (snd x) (snd y)). ring. Qed.

Lemma dotpl s : forall x y z, dot s (plus s x y) z = dot s x z + dot s y z.
Proof. induction s; simpl; intros; try ring. rewrite IHs1, IHs2; ring. induction n; simpl; [ring|]. rewrite IHs.
  rewrite (IHn (snd x) (snd y) (snd z)). ring. Qed.

Lemma dotsl s k : forall x y, dot s (scale s k x) y = k * dot s x y.
Proof. induction s; simpl; intros; try ring. rewrite IHs1, IHs2; ring. induction n; simpl; [ring|]. rewrite IHs.
  rewrite (IHn (snd x) (snd y)). ring. Qed.

Lemma dot0r s x : dot s x (zero s) = 0.
Proof. now rewrite dotC, dot0l. Qed.

Lemma dotpr s x y z : dot s x (plus s y z) = dot s x y + dot s x z.
Proof. rewrite dotC, dotpl. now rewrite (dotC s y), (dotC s z). Qed.

Lemma dotsr s k x y : dot s x (scale s k y) = k * dot s x y.
Proof. rewrite dotC, dotsl. now rewrite dotC. Qed.

(** The law (RP): both ways to apply a map are adjoint. *)
Theorem rp a b (m : lm a b) : forall t s, dot a (rapp a b m t) s = dot b t (app a b m s).
Proof. induction m; simpl; intros t s.
 - now rewrite dot0l, dot0r.
 - reflexivity.
 - now rewrite dotsl, dotsr.
 - now rewrite IHm2, IHm1.
 - now rewrite dotpl, dotpr, IHm1, IHm2.
 - now rewrite dotpl, IHm1, IHm2.
 - now rewrite IHm1, IHm2, dotpr.
 - generalize 0%nat. induction k; simpl in *; intro i. apply dot0l. rewrite dotpl, H. f_equal.
     apply (IHk (snd t)).
 - generalize 0%nat. induction k; simpl in *; intro i. now rewrite dot0r. rewrite dotpr, H. f_equal.
     apply (IHk (snd s)).
Qed.

(** Applying the transpose is applying from the other side. *)
Theorem tr_app a b (m : lm a b) : forall t, app b a (tr a b m) t = rapp a b m t.
Proof. induction m; simpl; intros; auto. now rewrite IHm1, IHm2. now rewrite IHm1, IHm2. now rewrite IHm1, IHm2.
  now rewrite IHm1, IHm2.
 - generalize 0%nat. induction k; simpl; intro i; auto. rewrite H. f_equal. apply (IHk (snd t)).
 - generalize 0%nat. induction k; simpl; intro i; auto. rewrite H. f_equal. apply IHk. Qed.

(** Definition 2.1, of the transpose by the laws. *)
Theorem adjoint a b (m : lm a b) t s : dot a (app b a (tr a b m) t) s = dot b t (app a b m s).
Proof. now rewrite tr_app, rp. Qed.
