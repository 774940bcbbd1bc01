(** * Forward mode is correct

    Paper: Krawiec and others, "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD";
    figures 1, 3 and 4, proposition 2; section 8.3 for arrays.

    Modelled: a typed lambda-calculus with reals, integers, products, sums, functions, and arrays of a fixed size, which
    are built, read at an index and folded. An index beyond an array counts as its first or last one. Terms are typed by
    construction, and a term means a Coq function of its environment ([eval]). [forward] is figure 3: it turns a
    term into a term of the same language in which each real is a pair of a value and a tangent. Only literals and
    primitives have rules of their own.

    Proved: [forward_correct]. The second half of what the translated term gives is the derivative of the term.
    The proof is a logical relation [rel] between curves in a type and curves in its dual type. *)
From Coq Require Import Reals Psatz List.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Inductive type := TR | TZ | Prod (a b : type) | Sum (a b : type) | Arr (a b : type) | Vec (n : nat) (a : type).

(** Arrays of [n] elements: all of them from their indices, one of them, and all of them one after the other. *)
Definition vec (A : Type) := fix vec (n : nat) : Type := match n with O => unit | S n => (A * vec n)%type end.

Fixpoint tabulate {A} (f : Z -> A) (n : nat) (i : Z) : vec A n := match n with
  | O => tt
  | S n => (f i, tabulate f n (i + 1)%Z)
  end.

Fixpoint element {A} (n : nat) : vec A (S n) -> nat -> A := match n with
  | O => fun v _ => fst v
  | S n => fun v i => match i with O => fst v | S i => element n (snd v) i end
  end.

Fixpoint fold {A B} (f : B -> A -> B) (n : nat) : vec A n -> B -> B := match n with
  | O => fun _ b => b
  | S n => fun v b => fold f n (snd v) (f b (fst v))
  end.

Inductive var : list type -> type -> Type := VZ g a : var (a :: g) a | VS g a b (v : var g a) : var (b :: g) a.

Inductive term : list type -> type -> Type :=
 | Var g a (v : var g a) : term g a
 | Lam g a b (e : term (a :: g) b) : term g (Arr a b)
 | App g a b (f : term g (Arr a b)) (e : term g a) : term g b
 | Let g a b (e : term g a) (f : term (a :: g) b) : term g b
 | Pair g a b (e : term g a) (f : term g b) : term g (Prod a b)
 | Fst g a b (e : term g (Prod a b)) : term g a
 | Snd g a b (e : term g (Prod a b)) : term g b
 | Inl g a b (e : term g a) : term g (Sum a b)
 | Inr g a b (e : term g b) : term g (Sum a b)
 | Case g a b c (e : term g (Sum a b)) (l : term (a :: g) c) (r : term (b :: g) c) : term g c
 | Rlit g (r : R) : term g TR
 | Zlit g (z : Z) : term g TZ
 | Add g (e f : term g TR) : term g TR
 | Mul g (e f : term g TR) : term g TR
 | Sin g (e : term g TR) : term g TR | Cos g (e : term g TR) : term g TR
 | Build g n a (e : term (TZ :: g) a) : term g (Vec n a)
 | Index g n a (e : term g (Vec (S n) a)) (i : term g TZ) : term g a
 | Fold g n a b (f : term (b :: a :: g) b) (e : term g b) (v : term g (Vec n a)) : term g b.

Fixpoint dual (a : type) : type := match a with
  | TR => Prod TR TR
  | TZ => TZ
  | Prod a b => Prod (dual a) (dual b)
  | Sum a b => Sum (dual a) (dual b)
  | Arr a b => Arr (dual a) (dual b)
  | Vec n a => Vec n (dual a)
  end.

Fixpoint value (a : type) : Type := match a with
  | TR => R
  | TZ => Z
  | Prod a b => value a * value b
  | Sum a b => value a + value b
  | Arr a b => value a -> value b
  | Vec n a => vec (value a) n
  end.

Fixpoint environment (g : list type) : Type := match g with nil => unit | a :: g => value a * environment g end.

Fixpoint lookup g a (v : var g a) : environment g -> value a := match v with
  | VZ _ _ => fun e => fst e
  | VS _ _ _ v => fun e => lookup _ _ v (snd e)
  end.

Fixpoint eval g a (t : term g a) : environment g -> value a := match t with
 | Var _ _ v => lookup _ _ v
 | Lam _ _ _ e => fun r x => eval _ _ e (x, r)
 | App _ _ _ f e => fun r => (eval _ _ f r) (eval _ _ e r)
 | Let _ _ _ e f => fun r => eval _ _ f (eval _ _ e r, r)
 | Pair _ _ _ e f => fun r => (eval _ _ e r, eval _ _ f r)
 | Fst _ _ _ e => fun r => fst (eval _ _ e r)
 | Snd _ _ _ e => fun r => snd (eval _ _ e r)
 | Inl _ _ _ e => fun r => inl (eval _ _ e r)
 | Inr _ _ _ e => fun r => inr (eval _ _ e r)
 | Case _ _ _ _ e l r' => fun r => match eval _ _ e r with inl x => eval _ _ l (x, r) | inr y => eval _ _ r' (y,
   r) end
 | Rlit _ k => fun _ => k
 | Zlit _ z => fun _ => z
 | Add _ e f => fun r => eval _ _ e r + eval _ _ f r
 | Mul _ e f => fun r => eval _ _ e r * eval _ _ f r
 | Sin _ e => fun r => sin (eval _ _ e r) | Cos _ e => fun r => cos (eval _ _ e r)
 | Build _ n _ e => fun r => tabulate (fun i => eval _ _ e (i, r)) n 0
 | Index _ n _ e i => fun r => element n (eval _ _ e r) (Z.to_nat (eval _ _ i r))
 | Fold _ n _ _ f e v => fun r => fold (fun b x => eval _ _ f (b, (x, r))) n (eval _ _ v r) (eval _ _ e r)
 end.

(* figure 3, as denotation of the translated term: everything homomorphic but the primitives *)
Fixpoint dual_context (g : list type) : list type := match g with nil => nil | a :: g => dual a :: dual_context g end.

Fixpoint dual_var g a (v : var g a) : var (dual_context g) (dual a) := match v with
  | VZ g a => VZ (dual_context g) (dual a)
  | VS _ _ b v => VS _ _ (dual b) (dual_var _ _ v)
  end.

Definition dadd {g} (e f : term g (Prod TR TR)) :=
  Pair _ _ _ (Add _ (Fst _ _ _ e) (Fst _ _ _ f)) (Add _ (Snd _ _ _ e) (Snd _ _ _ f)).

Definition dmul {g} (e f : term g (Prod TR TR)) :=
  Pair _ _ _ (Mul _ (Fst _ _ _ e) (Fst _ _ _ f)) (Add _ (Mul _ (Fst _ _ _ f) (Snd _ _ _ e)) (Mul _ (Fst _ _ _ e) (Snd _ _ _ f))).

Definition neg {g} (e : term g TR) := Mul _ (Rlit _ (-1)) e.

Fixpoint forward g a (t : term g a) : term (dual_context g) (dual a) := match t with
 | Var _ _ v => Var _ _ (dual_var _ _ v)
 | Lam _ _ _ e => Lam _ _ _ (forward _ _ e)
 | App _ _ _ f e => App _ _ _ (forward _ _ f) (forward _ _ e)
 | Let _ _ _ e f => Let _ _ _ (forward _ _ e) (forward _ _ f)
 | Pair _ _ _ e f => Pair _ _ _ (forward _ _ e) (forward _ _ f)
 | Fst _ _ _ e => Fst _ _ _ (forward _ _ e)
 | Snd _ _ _ e => Snd _ _ _ (forward _ _ e)
 | Inl _ _ _ e => Inl _ _ _ (forward _ _ e)
 | Inr _ _ _ e => Inr _ _ _ (forward _ _ e)
 | Case _ _ _ _ e l r => Case _ _ _ _ (forward _ _ e) (forward _ _ l) (forward _ _ r)
 | Rlit _ k => Pair _ _ _ (Rlit _ k) (Rlit _ 0)
 | Zlit _ z => Zlit _ z
 | Add _ e f => dadd (forward _ _ e) (forward _ _ f)
 | Mul _ e f => dmul (forward _ _ e) (forward _ _ f)
 | Sin _ e =>
    Pair _ _ _ (Sin _ (Fst _ _ _ (forward _ _ e))) (Mul _ (Cos _ (Fst _ _ _ (forward _ _ e))) (Snd _ _ _ (forward _ _ e)))
 | Cos _ e =>
    Pair _ _ _ (Cos _ (Fst _ _ _ (forward _ _ e))) (Mul _ (neg (Sin _ (Fst _ _ _ (forward _ _ e)))) (Snd _ _ _ (forward _ _ e)))
 | Build _ n _ e => Build _ n _ (forward _ _ e)
 | Index _ n _ e i => Index _ n _ (forward _ _ e) (forward _ _ i)
 | Fold _ n _ _ f e v => Fold _ n _ _ (forward _ _ f) (forward _ _ e) (forward _ _ v)
 end.

(* curves of arrays, element by element *)
Definition vec_rel {A B} (P : (R -> A) -> (R -> B) -> Prop) :=
  fix go (n : nat) : (R -> vec A n) -> (R -> vec B n) -> Prop := match n with
  | O => fun _ _ => True
  | S n => fun f g => P (fun t => fst (f t)) (fun t => fst (g t)) /\ go n (fun t => snd (f t)) (fun t => snd (g t))
  end.

Lemma vec_rel_ext A B (P : (R -> A) -> (R -> B) -> Prop) :
  (forall f f' g g', P f f' -> (forall t, f t = g t) -> (forall t, f' t = g' t) -> P g g') ->
  forall n f f' g g', vec_rel P n f f' -> (forall t, f t = g t) -> (forall t, f' t = g' t) -> vec_rel P n g g'.
Proof.
  intro E. induction n; simpl; intros f f' g g' H F G; auto. destruct H as [H K]. split.
  - apply (E _ _ _ _ H); intro t; simpl; [now rewrite F | now rewrite G].
  - apply (IHn _ _ _ _ K); intro t; simpl; [now rewrite F | now rewrite G].
Qed.

Lemma vec_rel_element A B (P : (R -> A) -> (R -> B) -> Prop) : forall n f g i, vec_rel P (S n) f g ->
  P (fun t => element n (f t) i) (fun t => element n (g t) i).
Proof.
  induction n; intros f g i [H K]; [exact H|]. destruct i; [exact H|].
  exact (IHn (fun t => snd (f t)) (fun t => snd (g t)) i K).
Qed.

(* relation between curves in A and curves in dual A *)
Fixpoint rel (a : type) : (R -> value a) -> (R -> value (dual a)) -> Prop := match a with
 | TR => fun f f' => forall t, fst (f' t) = f t /\ is_derive f t (snd (f' t))
 | TZ => fun f f' => exists z, forall t, f t = z /\ f' t = z
 | Prod a b => fun f f' => rel a (fun t => fst (f t)) (fun t => fst (f' t)) /\ rel b (fun t => snd (f t)) (fun t =>
    snd (f' t))
 | Sum a b => fun f f' => (exists g g', rel a g g' /\ (forall t, f t = inl (g t)) /\ forall t,
   f' t = inl (g' t))
                       \/ (exists g g', rel b g g' /\ (forall t, f t = inr (g t)) /\ forall t,
                         f' t = inr (g' t))
 | Arr a b => fun f f' => forall x x', rel a x x' -> rel b (fun t => f t (x t)) (fun t => f' t (x' t))
 | Vec n a => vec_rel (rel a) n
 end.

Fixpoint rel_env (g : list type) : (R -> environment g) -> (R -> environment (dual_context g)) -> Prop := match g with
 | nil => fun _ _ => True
 | a :: g => fun r r' => rel a (fun t => fst (r t)) (fun t => fst (r' t)) /\ rel_env g (fun t => snd (r t)) (fun t =>
    snd (r' t)) end.

Lemma rel_ext a : forall f g f' g', rel a f f' -> (forall t, f t = g t) -> (forall t, f' t = g' t)
  -> rel a g g'.
Proof. induction a; simpl; intros.
 - rewrite <- H0, <- H1. destruct (H t). split; auto. eapply is_derive_ext; eauto.
 - destruct H as [z Z]. exists z. intro t. rewrite <- H0, <- H1. auto.
 - destruct H. split; [eapply IHa1 | eapply IHa2]; eauto; intros; simpl; rewrite ?H0, ?H1; auto.
 - destruct H as [(u & u' & X & Y & Z) | (u & u' & X & Y & Z)]; [left | right]; exists u, u'; split; auto;
     split; intro t; rewrite <- ?H0, <- ?H1; auto.
 - eapply IHa2. apply H, H2. intro; simpl. now rewrite H0. intro; simpl. now rewrite H1.
 - exact (vec_rel_ext _ _ (rel a) (fun f f' g g' H F G => IHa f g f' g' H F G) n f f' g g' H H0 H1). Qed.

Lemma lookup_related g a (v : var g a) : forall r r', rel_env g r r' -> rel a (fun t => lookup _ _ v (r t)) (fun t =>
    lookup _ _ (dual_var _ _ v) (r' t)).
Proof. induction v; simpl; intros r r' H; [tauto|]. apply (IHv (fun t => snd (r t)) (fun t => snd (r' t))).
  tauto. Qed.

Theorem fundamental g a (e : term g a) : forall r r', rel_env g r r' -> rel a (fun t => eval _ _ e (r t)) (fun t =>
    eval _ _ (forward _ _ e) (r' t)).
Proof. induction e; simpl; intros r0 r0' H.
 - now apply lookup_related.
 - intros x x' X. apply (IHe (fun t => (x t, r0 t)) (fun t => (x' t, r0' t))). simpl. auto.
 - apply (IHe1 _ _ H _ _ (IHe2 _ _ H)).
 - apply (IHe2 (fun t => (eval _ _ e1 (r0 t), r0 t)) (fun t => (eval _ _ (forward _ _ e1) (r0' t), r0' t))). simpl. auto.
 - auto.
 - apply (IHe _ _ H).
 - apply (IHe _ _ H).
 - left. eauto 6.
 - right. eauto 6.
 - destruct (IHe1 _ _ H) as [(u & u' & X & Y & Z) | (u & u' & X & Y & Z)].
   + eapply rel_ext. apply (IHe2 (fun t => (u t, r0 t)) (fun t => (u' t, r0' t))). simpl; auto. intro; simpl;
       now rewrite Y. intro; simpl; now rewrite Z.
   + eapply rel_ext. apply (IHe3 (fun t => (u t, r0 t)) (fun t => (u' t, r0' t))). simpl; auto. intro; simpl;
       now rewrite Y. intro; simpl; now rewrite Z.
 - intro t. split; auto. apply @is_derive_const.
 - eauto.
 - intro t. destruct (IHe1 _ _ H t) as [P Q], (IHe2 _ _ H t) as [P' Q']. simpl in *. split. now rewrite P, P'.
     apply @is_derive_plus; auto.
 - intro t. destruct (IHe1 _ _ H t) as [P Q], (IHe2 _ _ H t) as [P' Q']. simpl in *. split. now rewrite P, P'.
   rewrite P, P'. evar_last.
     apply (is_derive_mult (fun t => eval _ _ e1 (r0 t)) (fun t => eval _ _ e2 (r0 t)) t _ _ Q Q'). intros;
     apply Rmult_comm. unfold plus, mult; simpl. ring.
 - intro t. destruct (IHe _ _ H t) as [P Q]. simpl in *. split. now rewrite P. rewrite P.
   evar_last. apply (is_derive_comp sin (fun t => eval _ _ e (r0 t))); eauto.
     apply is_derive_Reals, derivable_pt_lim_sin. unfold scal; simpl; unfold mult; simpl; ring.
 - intro t. destruct (IHe _ _ H t) as [P Q]. simpl in *. split. now rewrite P. rewrite P.
   evar_last. apply (is_derive_comp cos (fun t => eval _ _ e (r0 t))); eauto.
     apply is_derive_Reals, derivable_pt_lim_cos. unfold scal; simpl; unfold mult; simpl; ring.
 - generalize 0%Z. induction n; simpl; intro i; [exact I|]. split; [|apply IHn].
   apply (IHe (fun t => (i, r0 t)) (fun t => (i, r0' t))). split; [now exists i | exact H].
 - destruct (IHe2 _ _ H) as [z Z]. eapply rel_ext.
   + exact (vec_rel_element _ _ _ n _ _ (Z.to_nat z) (IHe1 _ _ H)).
   + intro t. exact (f_equal (fun z => element n _ (Z.to_nat z)) (eq_sym (proj1 (Z t)))).
   + intro t. exact (f_equal (fun z => element n _ (Z.to_nat z)) (eq_sym (proj2 (Z t)))).
 - assert (L : forall m x x' v v', rel b x x' -> vec_rel (rel a) m v v' ->
     rel b (fun t => fold (fun y z => eval _ _ e1 (y, (z, r0 t))) m (v t) (x t))
       (fun t => fold (fun y z => eval _ _ (forward _ _ e1) (y, (z, r0' t))) m (v' t) (x' t))).
   { induction m; simpl; intros x x' v v' X V; [exact X|]. destruct V as [V V'].
     apply (IHm (fun t => eval _ _ e1 (x t, (fst (v t), r0 t))) (fun t => eval _ _ (forward _ _ e1) (x' t, (fst (v' t), r0' t)))
       (fun t => snd (v t)) (fun t => snd (v' t))); [|exact V'].
     apply (IHe1 (fun t => (x t, (fst (v t), r0 t))) (fun t => (x' t, (fst (v' t), r0' t)))). simpl. auto. }
   exact (L n _ _ _ _ (IHe2 _ _ H) (IHe3 _ _ H)).
Qed.

Corollary forward_correct (e : term (TR :: nil) TR) (x : R) : is_derive (fun t => eval _ _ e (t,
  tt)) x (snd (eval _ _ (forward _ _ e) ((x, 1), tt))).
Proof. assert (H := fundamental _ _ e (fun t => (t, tt)) (fun t => ((t, 1), tt))). simpl in H. apply H. split;
  auto. intro t. split; auto. apply @is_derive_id. Qed.
